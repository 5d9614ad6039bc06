/** Calls of apply_changes that each edit one file, the same: committed together, like other edits (spec 6 and 14). */
import type { Params } from '../../src/core/operations.js';
import type { TaskAnswer } from '../../src/core/thread/task.js';
import { changeTogether } from '../commit/file-group.js';
import { expectingAt } from '../commit/has-changed.js';
import { limitsOf } from '../commit/result-limits.js';
import { assertFound, openFileAt } from '../commit/text-at-path.js';
import type { TextOperation } from '../commit/text-operation.js';
import type { OpenFile } from '../disk/paths/open-file.js';
import type { Call, SuccessOf } from '../handler.js';
import { applyReplacements } from '../text/edit/replacements.js';
import { assertPaths } from './judge-change.js';
import { editedFile } from './judge-text.js';
import type { Reported, With } from './judged-change.js';
import { numbered } from './with-change-number.js';

type Answer = (reported: readonly Reported[], params: Params['apply_changes']) => SuccessOf<'apply_changes'>;

/**
 * @param calls each with a single change, which has `edits`, of one path
 * @returns one answer for each call that was begun
 * @throws OperationError with the number of the change, if all of them fail for the same reason; RootMoved
 */
export async function editsTogether(calls: readonly Call<'apply_changes'>[], answerOf: Answer): Promise<TaskAnswer> {
  const [first] = calls;
  if (first === undefined) return [];
  const { path } = soleEdit(first.params);
  try {
    assertPaths({ path }, first.context.workspace.root);
    const answers = await changeTogether(calls, operationOf(answerOf));
    return answers.map((each) => {
      const isNumbered = each.ok === false && each.kind !== 'cancelled';
      return isNumbered ? { ...each, data: { path, ...each.data, change: 1 } } : each;
    });
  } catch (error) {
    throw numbered({ number: 1, name: path }, error);
  }
}

function soleEdit({ changes: [only] }: Params['apply_changes']): With<'edits'> {
  if (only?.path === undefined || only.edits === undefined)
    throw new Error('a call in a group is not an edit of one file');
  return { ...only, path: only.path, edits: only.edits };
}

function operationOf(answerOf: Answer): TextOperation<'apply_changes'> {
  let file: OpenFile | undefined;
  return {
    nameOf: (params) => soleEdit(params).path,
    open(root, path) {
      file = openFileAt(root, path);
      return file;
    },
    isDry: ({ dry_run }) => dry_run === true,
    change({ params, context }, found) {
      const given = soleEdit(params);
      assertFound(found, given.path, expectingAt(given));
      if (file === undefined) throw new Error('a text was found in a file that was never opened');
      const made = applyReplacements(found.bytes, given.edits, false, limitsOf(context));
      const { dry_run: isDry = false, return_hash: returnHash = false } = params;
      const edited = editedFile({ path: given.path, file, old: found }, made, { returnHash, context });
      return {
        text: isDry ? found : edited.next,
        answer() {
          const answer = answerOf([edited], params);
          edited.close();
          if (isDry && edited.next !== found) edited.next.release();
          return answer;
        },
      };
    },
  };
}
