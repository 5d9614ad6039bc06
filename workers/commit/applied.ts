/** Applies the calls of a group in memory, one after another. */
import { type Failure, type LineBase, type Outcome } from '../../src/core/errors.js';
import type { OperationName } from '../../src/core/operations.js';
import { failureOf, type Call } from '../handler.js';
import { textEntry } from '../history/entries.js';
import type { FileEntry } from '../history/recorded-change.js';
import type { ToRecord } from '../history/recording.js';
import type { Progress } from '../progress.js';
import { Phase } from '../../src/core/thread/task.js';
import type { FileText } from './file-text.js';
import { Absent, type Change, type TextOperation } from './text-operation.js';

/**
 * Limit in bytes on the texts that the calls of one group may see. With large texts each call takes long, so the rest
 * is left to the next group.
 */
const enough = 16_777_216;

/** The resulting text, and the answers to the calls. */
export interface Applied {
  readonly text: FileText | Absent;
  /** Every intermediate text, and the last one. */
  readonly texts: readonly FileText[];
  /** The calls that changed the text, by index in the group. */
  readonly changers: ReadonlyMap<number, Progress>;
  /** What the history is told of each change, but for the path; empty without --history. */
  readonly toRecord: readonly ToRecord[];
  /** A lone call's answer is still a function. */
  readonly answers: readonly (Change['answer'] | Outcome)[];
}

/** Make the answer of a lone call. Call once. */
export function answersOf({ answers, changers }: Applied): Outcome[] {
  return answers.map((each, index) => {
    const outcome = typeof each === 'function' ? each() : each;
    return !outcome.ok || changers.has(index) ? outcome : { ...outcome, changed: [] };
  });
}

/** Apply the calls in order, each to the text left by those before it; only some of them if texts are large. */
export function applyInOrder<Name extends OperationName>(
  calls: readonly Call<Name>[],
  operation: TextOperation<Name>,
  found: FileText | Absent,
): Applied {
  let text = found;
  let passed = 0;
  const texts: FileText[] = [];
  const changers = new Map<number, Progress>();
  const toRecord: ToRecord[] = [];
  const answers: Applied['answers'][number][] = [];
  const alone = calls.length === 1;
  /** Whether another change must not be committed together with these. */
  const group = { isFull: false };
  for (const [index, call] of calls.entries()) {
    const { progress, lineBase, change: told } = call.context;
    const answer = orRefusal(() => {
      progress.enter(Phase.running);
      const change = operation.change(call, text);
      if (change.text !== text) {
        texts.push(change.text);
        const entry = told === undefined ? undefined : entryOf(text, change.text);
        // Too much is put in for the history to rebuild it: such a change is committed alone.
        group.isFull = entry !== undefined && entry.put === undefined;
        if (group.isFull && changers.size > 0) return undefined;
        if (told !== undefined && entry !== undefined) toRecord.push({ change: told, entry });
        changers.set(index, progress);
      }
      text = change.text;
      // If made later, the answers of a group would keep all its texts in memory: appends to one file by 64 clients
      // took a fifth longer.
      return alone ? change.answer : change.answer();
    }, lineBase);
    if (answer === undefined) break;
    answers.push(answer);
    // A lone call stays `running`: no other call could be to blame if the thread died.
    if (!alone) progress.advance(Phase.ready);
    passed += text instanceof Absent ? 0 : text.content.length;
    if (group.isFull || passed > enough) break;
  }
  return { text, texts, changers, toRecord, answers };
}

function entryOf(old: FileText | Absent, text: FileText): FileEntry {
  return old instanceof Absent ? textEntry('', 'created', undefined, text) : textEntry('', 'edited', old, text);
}

/** The result of the work, or its refusal. @param lineBase of the caller */
function orRefusal<Made>(work: () => Made, lineBase: LineBase | undefined): Made | Failure {
  try {
    return work();
  } catch (error) {
    return failureOf(error, lineBase);
  }
}
