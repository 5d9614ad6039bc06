/**
 * The target of a link. Paths (spec 11) and flat names (spec 3) follow links in the same way, but word their refusals
 * differently.
 */
import { OperationError } from '../../../src/core/errors.js';
import { linkLeads } from '../../../src/core/failures.js';
import { resolveLink, type Resolved } from './link.js';
import { denied } from './open-file.js';
import { openParent, type HeldPlace } from './parent.js';
import { pathDenied, pathEscapes, pathNotFound, pathReserved } from './path-errors.js';
import type { Root } from './root.js';
import { nameOutOfScope, outOfScope } from './scope.js';

type Refusal = (root: Root, asked: string, errno: string | undefined) => OperationError;

/** The refusals of links that cannot be followed. */
interface Words extends Readonly<Record<NonNullable<Resolved['problem']>, Refusal>> {
  /** Whether a missing target outside is refused like an existing one there. */
  readonly hidesOutside: boolean;
}

export const pathWords: Words = {
  hidesOutside: true,
  dangling: (_, path) => pathNotFound(path, linkLeads.nowhere),
  denied: (_, path, errno) => pathDenied(path, errno),
  illegible: (_, path) => pathDenied(path, 'EILSEQ'),
  outside: (_, path) =>
    pathEscapes(path, 'A symbolic link on this path leads outside the working directory. Use another path.'),
  loop: (_, path) => pathEscapes(path, linkLeads.back),
  'not allowed': (root, path) => outOfScope(root, path),
  reserved: (_, path) => pathReserved(path, 'A symbolic link on this path leads there. '),
};

export const nameWords: Words = {
  hidesOutside: false,
  dangling: (_, name) =>
    new OperationError('not_found', `File '${name}' not found`, {
      details: 'It is a symbolic link whose target does not exist; use another name or have the link fixed.',
    }),
  denied: (_, name, errno) => denied(name, errno === undefined ? {} : { data: { errno } }),
  illegible: (_, name) =>
    denied(name, {
      details:
        'It is a symbolic link to a file whose name is not UTF-8, which no call can use; have that file renamed.',
    }),
  outside: (_, name) =>
    denied(name, {
      details: 'It is a symbolic link that leads outside the working directory; use a file inside it.',
    }),
  loop: (_, name) =>
    denied(name, { details: 'It is a symbolic link in a loop; use another name or have the link fixed.' }),
  'not allowed': (root, name) => nameOutOfScope(root, name),
  reserved: (_, name) =>
    denied(name, {
      details: 'It is a symbolic link into the directory reserved for the server; use another file.',
    }),
};

/**
 * The target of a resolved link, as a path below the root.
 * @param asked what the caller named
 * @throws OperationError in these words
 */
export function targetInside(
  root: Root,
  { relative, problem, towards, errno }: Resolved,
  asked: string,
  words: Words,
): string {
  if (problem === undefined) return relative;
  const forbidden = words.hidesOutside || towards === 'not allowed' ? towards : undefined;
  throw words[forbidden ?? problem](root, asked, errno);
}

/**
 * The place that a link leads to, with its directory held open.
 * @param link its path below the root @param asked what the caller named
 * @returns 'root' if it leads to the working directory itself; null if something on the way changed during the walk
 * @throws OperationError in these words; any system error that says nothing about the link
 */
export function followLink(root: Root, link: string, asked: string, words: Words): HeldPlace | 'root' | null {
  const relative = targetInside(root, resolveLink(root, link), asked, words);
  return relative === '' ? 'root' : openParent(root, relative);
}
