import { failure, type Success } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { onOneLine } from '../../../core/names/names-in-messages.js';
import type { Params, Results } from '../../../core/operations.js';
import { valueOf } from '../../../call/result-json.js';
import { resultOrFailure, wholeResult } from './storage.js';
import { fits, type Presented, type Tool } from './tool.js';

type Change = Results['history']['changes'][number];
type File = Change['files'][number];

export const historyTool: Tool<'history'> = {
  purpose: 'tells who changed what',
  description: () => 'Who changed what, newest first. With after, an id: what came since.',
  output: resultOrFailure('history'),
  selfExplanatory: ['path', 'caller', 'after', 'before', 'limit'],
  present(success, params, presentation) {
    const changes = changesIn(valueOf(success.result['changes']));
    const lines = changes.map((change) => lineOf(change, roomIn(presentation.maxChars)));
    for (let count = countOf(lines, presentation.maxChars); ; count = Math.floor(count / 2)) {
      const presented = presentedAs(success, changes.slice(0, count), lines, params);
      if (fits(presented, presentation)) return presented;
      if (count > 1) continue;
      return failure('too_large', 'A change is too long for one answer', { details: 'Send a path.' });
    }
  },
};

/** How many lines fit into a page; at least one. @param maxChars 0: no limit */
function countOf(lines: readonly string[], maxChars: number): number {
  let room = roomIn(maxChars);
  const index = lines.findIndex((line) => (room -= line.length + 1) < 0);
  return index === -1 ? lines.length : Math.max(1, index);
}

/** For what is said above and below the changes. */
const aroundChars = 120;

/** @param maxChars 0: no limit */
function roomIn(maxChars: number): number {
  return maxChars === 0 ? Infinity : maxChars - aroundChars;
}

function presentedAs(
  success: Success,
  shown: readonly Change[],
  lines: readonly string[],
  params: Params['history'],
): Presented {
  const isCut = shown.length < lines.length;
  const isFeed = params.after !== undefined;
  const cut = { changes: shown, truncated: true, ...(isFeed ? { last: shown.at(-1)?.id } : {}) };
  const result: Success['result'] = { ...success.result, ...(isCut ? cut : {}) };
  const text = [
    ...(result['gap'] === true ? ['[Older changes are forgotten.]'] : []),
    ...lines.slice(0, shown.length),
    ...(lines.length === 0 ? ['No changes.'] : []),
    ...whereToGoOn(shown, params, result),
  ];
  return wholeResult([jsonOf(text.join('\n'))], { ...success, result });
}

function changesIn(value: unknown): readonly Change[] {
  return Array.isArray(value) ? value.map((change: Change) => change) : [];
}

/** `k3f9 2026-11-28 10:00:01 agent-7 apply_changes: edited src/a.ts, created b.ts (undone by k3ff)` */
function lineOf({ id, time, caller = '-', operation, files, undone_by }: Change, room: number): string {
  const when = time.slice(0, 19).replace('T', ' ');
  const undone = undone_by === undefined ? '' : ` (undone by ${undone_by})`;
  const head = `${id} ${when} ${onOneLine(caller)} ${operation}: `;
  const told = files.map(toldFile);
  let left = room - head.length - undone.length - moreChars;
  const fitting = told.findIndex((each) => (left -= each.length + 2) < 0);
  const shown = fitting === -1 ? told : [...told.slice(0, fitting), `and ${told.length - fitting} more files`];
  return `${head}${shown.length === 0 ? 'no files' : shown.join(', ')}${undone}`;
}

/** For the number of files that are left out. */
const moreChars = 24;

function toldFile({ path, kind, new_path, changed_outside }: File): string {
  const moved = new_path === undefined ? '' : ` -> ${onOneLine(new_path)}`;
  const outside = changed_outside === true ? ' (after another program)' : '';
  return `${kind} ${onOneLine(path)}${moved}${outside}`;
}

function whereToGoOn(
  changes: readonly Change[],
  { after }: Params['history'],
  { truncated, last }: Readonly<Record<string, unknown>>,
): string[] {
  if (after !== undefined) return [`[Go on with after "${String(last)}".]`];
  const oldest = changes.at(-1);
  return truncated === true && oldest !== undefined ? [`[More is left. Go on with before "${oldest.id}".]`] : [];
}
