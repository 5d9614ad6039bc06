/** JSON-RPC batches: an array of messages, answered by an array once all are done. */
import { mostMessageBytes } from '../../core/thread/task.js';
import type { CallContext, Recipient } from '../../call/call.js';
import { failure, type Failure } from '../../core/errors.js';
import { partBytes, type JsonPart } from '../../call/parts.js';
import type { Budget } from '../../call/budget.js';
import { bytesPerMb, callBytes } from '../../core/memory/held.js';
import { errorAnswer, invalidRequest, readRequest, type Request } from './envelope.js';
import { errorObject } from '../../call/result-json.js';
import { Turns } from '../../call/turns.js';

/**
 * Most messages in a batch. Refusing all of 10,000 took the main thread 0.3 s; answering 10,000 requests for the list
 * of tools took 1.2 s and 138 MB, so a SIGTERM after twelve such batches took 16 s.
 */
export const maxBatchLength = 1_000;
/** Most concurrent reads of one batch. */
const maxBatchReads = 32;

/** Additional context for the calls of a batch. */
export type PartContext = Pick<CallContext, 'admitted' | 'mostBytes'>;

/** How the messages of a batch are handled, and its limits. */
export interface BatchPlan {
  readonly budget: Budget;
  readonly recipient: Recipient;
  /** Limit of finished answers waiting for the last one; reads in progress add about half as much. */
  readonly limitMb: number;
  /** Limit of one answer. */
  readonly maxSizeMb: number;
  /** Why a message may not be in a batch; null if it may. */
  refuse(request: Request): Failure | null;
  /** Whether its answer may be large. */
  isRead(request: Request): boolean;
  /** Writes are called before this returns. Null if no answer is due. */
  execute(request: Request, part: PartContext): Promise<readonly JsonPart[] | null>;
  /** The answer to a refused message: its error names the operation and the file. */
  refusal(request: Request, refused: Failure): readonly JsonPart[];
}

/** Why the whole batch is refused, or null. */
export function refuseBatch({ length }: readonly unknown[]): Failure | null {
  if (length > 0 && length <= maxBatchLength) return null;
  return invalidRequest(
    `A batch must have 1 to ${String(maxBatchLength)} messages.`,
    length === 0 ? undefined : `Nothing was done. Send these ${String(length)} messages in several batches.`,
  );
}

/**
 * The answer to an accepted batch; null if no message is due one. Writes are called before this returns, reads once the
 * memory for the whole batch is reserved.
 */
export async function answerBatch(batch: readonly unknown[], plan: BatchPlan): Promise<JsonPart[] | null> {
  const { budget, recipient, limitMb, maxSizeMb } = plan;
  const limit = limitMb * bytesPerMb;
  // To an MCP client, the answers form one message, with a comma after each.
  const mostBytes = Math.floor(mostMessageBytes / batch.length) - 2;
  const answers: (readonly JsonPart[] | null)[] = batch.map(() => null);
  const reads: [index: number, read: Request][] = [];
  // The message itself is already counted.
  const heldByCalls = batch.length * callBytes;
  let heldByReads = 0;
  budget.hold('other', heldByCalls);
  const others = batch.map(async (message, index) => {
    const request = readRequest(message);
    if (request === null) return;
    if ('refused' in request) {
      answers[index] = errorAnswer(request.id, errorObject(request.refused));
      return;
    }
    const refused = plan.refuse(request);
    if (refused !== null) answers[index] = unlessNotification(request, refused);
    else if (plan.isRead(request)) reads.push([index, request]);
    else answers[index] = await plan.execute(request, { mostBytes });
  });
  try {
    await Promise.all([...others, makeReads()]);
  } finally {
    budget.release('other', heldByCalls);
    if (heldByReads > 0) budget.endCall('large', heldByReads);
  }
  const due = answers.filter((answer) => answer !== null);
  return due.length === 0 ? null : [...due.flatMap((answer, index) => [index === 0 ? '[' : ',', ...answer]), ']'];

  async function makeReads(): Promise<void> {
    if (reads.length === 0) return;
    const bytes = 1.5 * limit;
    if (!budget.begin('large', bytes)) await new Promise<void>((resolve) => budget.wait('large', bytes, resolve));
    heldByReads = bytes;
    if (recipient.gone) return;
    const waiting = reads.values();
    // Cached reads answer within one turn of the event loop, so without this they would block it.
    const turns = new Turns();
    let answered = 0;
    const oneByOne = async (): Promise<void> => {
      for (const [index, read] of waiting) {
        const answer = await turns.run(() =>
          answered < limit ? plan.execute(read, { admitted: true, mostBytes }) : unlessNotification(read, overfull()),
        );
        answers[index] = answer;
        for (const part of answer ?? []) answered += partBytes(part);
      }
    };
    const atOnce = Math.max(1, Math.min(maxBatchReads, Math.floor(limitMb / 2 / maxSizeMb)));
    await Promise.all(Array.from({ length: atOnce }, oneByOne));
  }

  /** Only reads are refused here: a completed write is never answered with an error. */
  function overfull(): Failure {
    return failure('request_too_large', `Batch answer exceeds maximum limit ${String(limitMb)}MB`);
  }

  function unlessNotification(request: Request, refused: Failure): readonly JsonPart[] | null {
    return request.id === undefined ? null : plan.refusal(request, refused);
  }
}
