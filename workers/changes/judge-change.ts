/**
 * Judges a change of one file as its own operation would (spec 11 and 14): by the same checks, with the same errors.
 * Nothing is written.
 */
import { checkPath } from '../../src/core/names/path.js';
import { OperationError, type Failure } from '../../src/core/errors.js';
import { judgeMove } from './judge-move.js';
import { judgeMovedText } from './judge-moved-text.js';
import { judgeRemoval } from './judge-removal.js';
import { judgeContent, judgeEdits } from './judge-text.js';
import type { Case, Given, Judged } from './judged-change.js';

/**
 * @param given has one of its kinds, or a text beside `rename_to`
 * @throws OperationError as the operation that makes such a change alone
 */
export function judgeChange(given: Given, which: Case): Judged {
  const { root } = which.context.workspace;
  for (const member of ['path', 'rename_to'] as const) {
    const path = given[member];
    const refused = path === undefined ? null : checkPath(member, path, { directories: [root.directory] });
    if (refused !== null) throw errorOf(refused);
  }
  const { edits, content, rename_to } = given;
  if (rename_to !== undefined && (edits ?? content) !== undefined)
    return judgeMovedText({ ...given, rename_to }, which);
  if (edits !== undefined) return judgeEdits({ ...given, edits }, which);
  if (content !== undefined) return judgeContent({ ...given, content }, which);
  if (rename_to !== undefined) return judgeMove({ ...given, rename_to }, which);
  if (given.delete === true) return judgeRemoval(given, which);
  throw new Error('a change says nothing');
}

/** The error that a failure came from. */
function errorOf({ kind, message, details, data, cause }: Failure): OperationError {
  return new OperationError(kind, message, {
    details,
    ...(data === undefined ? {} : { data }),
    ...(cause === undefined ? {} : { cause }),
  });
}
