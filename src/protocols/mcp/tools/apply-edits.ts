import type { Success } from '../../../core/errors.js';
import { asBuffer } from '../../../call/parts.js';
import { resultOrFailure, wholeResult } from './storage.js';
import { shortDiff } from './short-diff.js';
import { fits, toldChange, type Presentation, type Presented, type Tool } from './tool.js';

export const applyEditsTool: Tool<'apply_edits'> = {
  purpose: 'finds and replaces texts in a file',
  description: () =>
    'Find and replace texts in a text file, or add text at its start or end, one edit after the other: each is matched against the result of the previous ones. All are saved, or none if one fails. An old_string must be in the file exactly once, byte for byte, unless replace_all is true. When one is not found, the error names the nearest lines and what differs. Returns the replaced lines (from 1) and a diff; dry_run returns the same and writes nothing.',
  output: resultOrFailure('apply_edits', {
    edit: 'From 1.',
  }),
  present(outcome, _params, presentation) {
    const presented = presentedWhole(outcome, presentation);
    if (fits(presented, presentation)) return presented;
    // A completed change is never answered with an error (spec 10).
    const { result } = outcome;
    const short = { ...result, diff: diffLeftOut };
    const shortened = presentedWhole({ ...outcome, result: short }, presentation);
    if (fits(shortened, presentation)) return shortened;
    return presentedWhole({ ...outcome, result: { ...short, replacements: withoutLines(result) } }, presentation);
  },
};

export const diffLeftOut = '… the diff is left out: it is too long for one answer.\n';

function presentedWhole(outcome: Success, presentation: Presentation): Presented {
  const { path, total_replacements, diff, dry_run } = outcome.result;
  const isRehearsal = dry_run === true;
  const did = isRehearsal ? 'Would have replaced' : 'Replaced';
  const occurrences = total_replacements === 1 ? 'occurrence' : 'occurrences';
  const done = `${did} ${String(total_replacements)} ${occurrences} in ${String(path)}`;
  return wholeResult([toldChange(done, outcome, shortDiff(String(diff), isRehearsal, presentation))], outcome);
}

/** The line numbers of 1000 edits, 1000 each, take up to 10 MB. */
function withoutLines({ replacements }: Success['result']): unknown {
  if (!(replacements instanceof Uint8Array)) return replacements;
  return JSON.parse(
    asBuffer(replacements)
      .toString('latin1')
      .replaceAll(/"lines":\[[\d,]+\]/g, '"lines":[]'),
  );
}
