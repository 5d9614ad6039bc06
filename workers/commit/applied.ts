/** Applies the calls of a group in memory, one after another. */
import { type Failure, type LineBase, type Outcome } from '../../src/core/errors.js';
import type { OperationName } from '../../src/core/operations.js';
import { failureOf, type Call } from '../handler.js';
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
  const answers: Applied['answers'][number][] = [];
  const alone = calls.length === 1;
  for (const [index, call] of calls.entries()) {
    const { progress, lineBase } = call.context;
    const answer = orRefusal(() => {
      progress.enter(Phase.running);
      const change = operation.change(call, text);
      if (change.text !== text) {
        changers.set(index, progress);
        texts.push(change.text);
      }
      text = change.text;
      // If made later, the answers of a group would keep all its texts in memory: appends to one file by 64 clients
      // took a fifth longer.
      return alone ? change.answer : change.answer();
    }, lineBase);
    answers.push(answer);
    // A lone call stays `running`: no other call could be to blame if the thread died.
    if (!alone) progress.advance(Phase.ready);
    passed += text instanceof Absent ? 0 : text.content.length;
    if (passed > enough) break;
  }
  return { text, texts, changers, answers };
}

/** The result of the work, or its refusal. @param lineBase of the caller */
function orRefusal<Made>(work: () => Made, lineBase: LineBase | undefined): Made | Failure {
  try {
    return work();
  } catch (error) {
    return failureOf(error, lineBase);
  }
}
