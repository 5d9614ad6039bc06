/** Judges a change that moves a file and changes its text (spec 17). Nothing is written. */
import { OperationError } from '../../src/core/errors.js';
import { quotedName } from '../../src/core/names/names-in-messages.js';
import type { Change } from './change.js';
import { isRespelling } from '../disk/paths/spelling.js';
import { judgeMove } from './judge-move.js';
import { asExpected } from './judge-removal.js';
import { judgeEdits, judgeNewContent } from './judge-text.js';
import type { Case, Given, Judged, With } from './judged-change.js';

/**
 * Judge a change with `rename_to` and `edits` or `content`: the new text gets the new name, the old file is removed.
 * @throws as rename, and as apply_edits or write
 */
export function judgeMovedText(given: With<'rename_to'>, which: Case): Judged {
  const moved = judgeExpectedMove(given, which);
  let text: Judged | undefined;
  let complete = false;
  try {
    text = judgeText(given, which);
    const changes = changesFor(given, moved, text);
    complete = true;
    return combined(given, moved, text, changes);
  } finally {
    if (!complete) {
      text?.close();
      moved.close();
    }
  }
}

/** @throws OperationError changed, if a version is expected and the file is missing */
function judgeExpectedMove(given: With<'rename_to'>, which: Case): Judged {
  try {
    return judgeMove(given, { ...which, returnHash: false });
  } catch (error) {
    throw asExpected(given, which.context, error);
  }
}

function judgeText(given: Given, which: Case): Judged {
  const { edits, content } = given;
  if (edits !== undefined) return judgeEdits({ ...given, edits }, which);
  if (content !== undefined) return judgeNewContent({ ...given, content }, which);
  throw new Error('a change has no text');
}

function changesFor({ path }: Given, moved: Judged, text: Judged): readonly Change[] {
  const [move] = moved.changes;
  const [replacement] = text.changes;
  if (move?.kind !== 'move') throw new Error('a move has no effect');
  const { from, to, seen } = move;
  if (seen.isSymbolicLink()) {
    throw inTwoSteps(
      path,
      'is a link',
      'Edit the file behind it by its own path, and rename the link in another change.',
    );
  }
  if (isRespelling(from.parent.place(from.name), to.parent.place(to.name))) {
    throw inTwoSteps(path, 'and rename_to are two spellings of one name', 'Rename it in a second call.');
  }
  if (replacement?.kind !== 'replace') return moved.changes;
  const { original } = replacement;
  const [fromDirectory = '', toDirectory = ''] = move.directories;
  const { number, name } = move;
  return [
    { number, name: to.path, directories: [toDirectory], kind: 'create', spot: to, text: replacement.text, original },
    { number, name, directories: [fromDirectory], kind: 'remove', spot: from, seen, version: original, movedTo: to },
  ];
}

function combined({ rename_to }: With<'rename_to'>, moved: Judged, text: Judged, changes: readonly Change[]): Judged {
  return {
    ...moved,
    changes,
    bytes: text.bytes,
    diff: changes === moved.changes ? moved.diff : { ...text.diff, newPath: moved.diff.newPath },
    tookCrlf: text.tookCrlf,
    told: (isDone) => ({ ...text.told(isDone), kind: 'renamed', new_path: rename_to }),
    close() {
      text.close();
      moved.close();
    },
  };
}

function inTwoSteps(path: string, why: string, details: string): OperationError {
  return new OperationError('invalid_params', `Invalid params: ${quotedName(path)} ${why}`, {
    details: `Nothing was changed. ${details}`,
    data: { path },
  });
}
