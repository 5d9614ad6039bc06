import type { Success } from '../errors.js';
import { jsonOf } from '../json/json-of.js';
import { asBuffer } from '../json/parts.js';
import { resultOrFailure, wholeResult } from './storage.js';
import { fits, type Presented, type Tool } from './tool.js';

/** How many line numbers the text names; the structured result has all of them. */
const mostLines = 20;
/**
 * How many bytes of a long report are read: enough for that many line numbers, even after 1000 edits that have none.
 */
const mostLooked = 65_536;

export const applyEdits: Tool<'apply_edits'> = {
  purpose: 'finds and replaces texts in a file',
  description: () =>
    'Find and replace texts in a text file, one edit after the other: each finds its old_string in what those before it have left. All are saved, or none if one fails. An old_string must be in the file exactly once, byte for byte, unless replace_all is true. When one is not found, the error names the nearest lines and what differs. Tells which lines were replaced (from 1) and a diff; dry_run tells the same and writes nothing.',
  output: resultOrFailure('apply_edits', {
    edit: 'From 1.',
    hash: 'Of the text that is in the file then; see expected_hash.',
  }),
  present(outcome, _params, presentation) {
    const presented = presentedWhole(outcome);
    if (fits(presented, presentation)) return presented;
    // What was changed is never answered by an error (contract 10).
    const { result } = outcome;
    const short = { ...result, diff: diffLeftOut };
    const shortened = presentedWhole({ ...outcome, result: short });
    if (fits(shortened, presentation)) return shortened;
    return presentedWhole({ ...outcome, result: { ...short, replacements: withoutLines(result) } });
  },
};

const diffLeftOut = '… the diff is left out: it is too long for one answer.\n';

function presentedWhole(outcome: Success): Presented {
  const { path, total_replacements, diff, dry_run } = outcome.result;
  const lines = linesOf(outcome);
  const places = lines.length === 0 ? '' : ` (lines ${lines.join(', ')})`;
  const did = dry_run === true ? 'Would have replaced' : 'Replaced';
  const summary = `${did} ${String(total_replacements)} occurrences in ${String(path)}${places}`;
  return wholeResult([jsonOf(diff === '' ? summary : `${summary}\n\n${String(diff)}`)], outcome);
}

/** A million line numbers of nine digits take 10 MB. */
function withoutLines({ replacements }: Success['result']): unknown {
  if (!(replacements instanceof Uint8Array)) return replacements;
  return JSON.parse(
    asBuffer(replacements)
      .toString('latin1')
      .replaceAll(/"lines":\[[\d,]+\]/g, '"lines":[]'),
  );
}

/** The lines of the replacements in the order in which they were made; no more than a model looks at. */
function linesOf({ result: { replacements = [] } }: Success): string[] {
  const json =
    replacements instanceof Uint8Array
      ? Buffer.from(replacements.buffer, replacements.byteOffset, Math.min(mostLooked, replacements.length)).toString()
      : jsonOf(replacements);
  const lines = Array.from(json.matchAll(/"lines":\[([\d,]+)/g), ([, ofEdit = '']) => ofEdit.split(',')).flat();
  return lines.length > mostLines ? [...lines.slice(0, mostLines), '…'] : lines;
}
