import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../src/core/errors.js';
import { isSameFile, oneSpelling } from '../../src/core/file-identity.js';
import { quotedName } from '../../src/core/names/names-in-messages.js';

/** A name that a change is about. */
export interface Named {
  /** As the caller wrote it. */
  readonly path: string;
  /** The member that it came in. */
  readonly member: 'path' | 'rename_to';
  /** Its path below the working directory, with links on the way resolved. */
  readonly relative: string;
  /** What is there; undefined: nothing. */
  readonly there: BigIntStats | undefined;
  /** Directories above it that are to be made. */
  readonly directories: readonly string[];
}

interface Known extends Named {
  /** Of its change, from 1. */
  readonly number: number;
}

/** Sees to it that changes of one call do not meet (spec 14): no file is named twice, nor needed as a directory. */
export class NamedOnce {
  /** By all spellings that any file system treats as one. */
  readonly #known = new Map<string, Known[]>();
  readonly #directories = new Map<string, Known>();

  /** @param number of the change, from 1 @throws OperationError invalid_params */
  add(named: Named, number: number): void {
    const known = { ...named, number };
    const spelling = oneSpelling(named.relative);
    const alike = this.#known.get(spelling) ?? [];
    const twin = alike.find((other) => isSame(other, named));
    if (twin !== undefined && !isOwn(twin, known)) throw namedTwice(named.path, twin);
    const inIt = this.#directories.get(spelling);
    // What is there is no missing directory, but for its spelling.
    if (inIt !== undefined && named.there === undefined) throw isNeeded(named, { file: named, inside: inIt }, inIt);
    for (const directory of named.directories) {
      const others = this.#known.get(oneSpelling(directory)) ?? [];
      const file = others.find(({ relative, there }) => relative === directory || there === undefined);
      if (file !== undefined) throw isNeeded(named, { file, inside: named }, file);
      this.#directories.set(oneSpelling(directory), known);
    }
    this.#known.set(spelling, [...alike, known]);
  }
}

/** A change that creates a file names it again, with its directories. */
function isOwn(twin: Known, { number, member }: Known): boolean {
  return twin.number === number && twin.member === member;
}

/**
 * Whether two names mean the same. Where only case or Unicode form differ, the file system says so: if it has one of
 * them, or both as different files, they are two. If it has neither, nobody knows, and they count as one.
 */
function isSame(one: Named, other: Named): boolean {
  if (one.relative === other.relative) return true;
  if (one.there === undefined || other.there === undefined) return one.there === other.there;
  return isSameFile(one.there, other.there);
}

function namedTwice(path: string, { path: before, member, number }: Known): OperationError {
  const as = member === 'path' ? '' : `the ${member} of `;
  return new OperationError(
    'invalid_params',
    `Invalid params: ${quotedName(path)} names the same file as ${as}change ${number} (${quotedName(before)})`,
    {
      details:
        'Nothing was changed. Name each file once: send all edits of it in one change, or a second call for more.',
      data: { path },
    },
  );
}

function isNeeded(
  { path }: Named,
  { file, inside }: { readonly file: Named; readonly inside: Named },
  before: Known,
): OperationError {
  return new OperationError(
    'invalid_params',
    `Invalid params: ${quotedName(file.path)} would be a file, and ${quotedName(inside.path)} needs a directory there (see change ${before.number})`,
    { details: 'Nothing was changed. Choose another path for one of them.', data: { path } },
  );
}
