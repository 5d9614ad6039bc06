import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../src/core/errors.js';
import { isSameFile, oneSpelling } from '../../src/core/file-identity.js';
import { quotedName } from '../../src/core/names/names-in-messages.js';

/** A name that a change uses. */
export interface Named {
  /** As the caller wrote it. */
  readonly path: string;
  /** The member that holds it. */
  readonly member: 'path' | 'rename_to';
  /** Its path below the working directory, with links on the way resolved. */
  readonly relative: string;
  /** Stats of the existing entry; undefined if none. */
  readonly there: BigIntStats | undefined;
  /** Parent directories to be created. */
  readonly directories: readonly string[];
}

interface Known extends Named {
  /** Number of its change, from 1. */
  readonly number: number;
}

/** Prevents conflicts within a call (spec 14): no file is named twice, or also needed as a directory. */
export class NamedOnce {
  /** Keyed by a form shared by all spellings that any file system treats as one. */
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
    // An existing entry is not that missing directory: their spellings differ.
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

/** A change that creates a file claims its name a second time, with the directories. */
function isOwn(twin: Known, { number, member }: Known): boolean {
  return twin.number === number && twin.member === member;
}

/**
 * Whether two names mean the same file. If they differ only in case or Unicode form, the file system decides: if only
 * one exists, or both do as different files, they are two. If neither exists, nobody can tell, and they count as one.
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
