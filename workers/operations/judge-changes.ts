import { OperationError } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import type { Context } from '../handler.js';
import { judgeChange } from './judge-change.js';
import type { Judged } from './judged-change.js';
import { NamedOnce, type Named } from './named-once.js';
import { withChangeNumber } from '../commit/with-change-number.js';

/** Texts of one call may take this many times what a file may have (spec 14). */
const mostTexts = 4;

/**
 * Judge all changes of a call against the directory as it is (spec 14), in order. The caller must close them.
 * @throws OperationError for the first change that cannot be made, with its number
 */
export function judgeChanges({ changes, return_hash = false }: Params['apply_changes'], context: Context): Judged[] {
  const { maxBytes } = context.workspace.setup;
  const judged: Judged[] = [];
  const named = new NamedOnce();
  let bytes = 0;
  let complete = false;
  try {
    for (const [index, given] of changes.entries()) {
      const number = index + 1;
      if (context.progress.cancelled) throw new OperationError('cancelled', 'Cancelled before all changes were judged');
      withChangeNumber({ number, name: given.path }, () => {
        const claim = (name: Named): void => {
          named.add(name, number);
        };
        const each = judgeChange(given, { number, returnHash: return_hash, context, claim });
        judged.push(each);
        bytes += each.bytes;
        if (bytes > mostTexts * maxBytes) throw textsTooLarge(number, mostTexts * maxBytes);
      });
    }
    complete = true;
    return judged;
  } finally {
    if (!complete) closeAll(judged);
  }
}

function closeAll(judged: readonly Judged[]): void {
  for (const each of judged) each.close();
}

function textsTooLarge(number: number, limit: number): OperationError {
  const texts = number === 1 ? 'The texts of this change' : `The texts of changes 1 to ${String(number)}`;
  return new OperationError('too_large', `${texts}, old and new, have more than ${String(limit)} bytes together`, {
    details: 'Nothing was changed. Send fewer changes in one call.',
  });
}
