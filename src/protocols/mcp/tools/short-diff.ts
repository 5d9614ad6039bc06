/** Shortens diffs for models, which know what they asked for (spec 17). */
import { lengthOf } from './file-text.js';
import { counted } from './searched.js';
import type { Presentation } from './tool.js';

/** Longest diff of a completed change, in code points. */
const mostOfMade = 4_000;

/** Shown whole or not at all: a hunk, with its header if it is the first of a file, or a header without hunks. */
interface Unit {
  text: string;
  readonly beginsFile: boolean;
}

/** The diff for a model: whole if it is short enough, else its first hunks and the amount left out. */
export function shortDiff(diff: string, isRehearsal: boolean, { maxChars }: Presentation): string {
  const page = maxChars === 0 ? Infinity : maxChars;
  const most = isRehearsal ? page : Math.min(page, mostOfMade);
  if (diff.length <= most || lengthOf(diff) <= most) return diff;
  const { units, notes } = parsed(diff);
  // These numbers have at least as many digits as the final ones.
  let room = most - lengthOf(noteOf(units) + notes);
  let shown = 0;
  for (const { text } of units) {
    room -= lengthOf(text);
    if (room < 0) break;
    shown += 1;
  }
  const texts = units.slice(0, shown).map(({ text }) => text);
  return texts.join('') + noteOf(units.slice(shown)) + notes;
}

/** `notes`: the diff's own remarks about being truncated. */
function parsed(diff: string): { readonly units: readonly Unit[]; readonly notes: string } {
  const units: Unit[] = [];
  let notes = '';
  let isHeader = false;
  // No line inside a hunk begins like these.
  for (const part of diff.split(/(?<=\n)(?=@@ |diff --git |Binary files |… )/)) {
    const isHunk = part.startsWith('@@ ');
    const last = units.at(-1);
    if (part.startsWith('… ')) notes += part;
    else if (isHunk && isHeader && last !== undefined) last.text += part;
    else units.push({ text: part, beginsFile: !isHunk });
    isHeader = !isHunk;
  }
  return { units, notes };
}

function noteOf(units: readonly Unit[]): string {
  const files = units.filter(({ beginsFile }) => beginsFile).length;
  const lines = units.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
  const inFiles = files === 0 ? '' : `${counted(files, 'file', 'files')} and `;
  const are = files === 0 && lines === 1 ? 'is' : 'are';
  return `… ${inFiles}${counted(lines, 'line', 'lines')} of the diff ${are} not shown.\n`;
}
