/**
 * Judges a change of one file with the checks and errors of the corresponding operation (spec 11 and 14). Nothing is
 * written.
 */
import { checkPath } from '../../src/core/names/path.js';
import { OperationError, type Failure } from '../../src/core/errors.js';
import type { Root } from '../disk/paths/root.js';
import { judgeMove } from './judge-move.js';
import { judgeMovedText } from './judge-moved-text.js';
import { judgeRemoval } from './judge-removal.js';
import { judgeContent, judgeEdits } from './judge-text.js';
import type { Case, Given, Judged } from './judged-change.js';

/**
 * @param given a change of one kind, or `rename_to` with a text
 * @throws OperationError as the corresponding operation does
 */
export function judgeChange(given: Given, which: Case): Judged {
  assertPaths(given, which.context.workspace.root);
  const { edits, content, rename_to } = given;
  if (rename_to !== undefined && (edits ?? content) !== undefined)
    return judgeMovedText({ ...given, rename_to }, which);
  if (edits !== undefined) return judgeEdits({ ...given, edits }, which);
  if (content !== undefined) return judgeContent({ ...given, content }, which);
  if (rename_to !== undefined) return judgeMove({ ...given, rename_to }, which);
  if (given.delete === true) return judgeRemoval(given, which);
  throw new Error('a change says nothing');
}

/** @throws OperationError if a path is not valid */
export function assertPaths(given: Pick<Given, 'path' | 'rename_to'>, root: Root): void {
  for (const member of ['path', 'rename_to'] as const) {
    const path = given[member];
    const refused = path === undefined ? null : checkPath(member, path, { directories: [root.directory] });
    if (refused !== null) throw errorOf(refused);
  }
}

/** The failure as an error to throw. */
function errorOf({ kind, message, details, data, cause }: Failure): OperationError {
  return new OperationError(kind, message, {
    details,
    ...(data === undefined ? {} : { data }),
    ...(cause === undefined ? {} : { cause }),
  });
}
