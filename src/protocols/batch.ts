/** Batches of JSON-RPC: an array of messages, answered by an array when the last of them is done. */
import { failure, type Failure } from '../errors.js';
import { errorAnswer, invalidRequest, readRequest, type Request } from './envelope.js';
import { errorObject, type JsonPart } from './result-json.js';

/** Most messages of one batch: of 256 kB of `[1,1,1,…]`, answering each took 0.4 s and 45 MB. */
export const maxBatchLength = 10_000;
/** Most reads of one batch that run at once. */
const maxBatchReads = 32;

const megabyte = 1_048_576;
const openArray = 0x5b;
/** Bytes of white space in front of a message after which it is not looked any further. */
const mostLooks = 64;

/** What a batch is made of, and what it may hold. */
export interface BatchPlan {
  /** Bytes of its answers that may be finished before the last is; about half as much is at work besides. */
  readonly limitMb: number;
  /** Limit of one answer. */
  readonly maxSizeMb: number;
  /** Why a message may not be in a batch, or null. */
  refuse(request: Request): Failure | null;
  /** Whether its answer may be large. */
  isRead(request: Request): boolean;
  /** Writing messages are called before this returns. Null: no answer is due. */
  execute(request: Request): Promise<readonly JsonPart[] | null>;
  /** Of what is refused for what it holds: the error names the operation and the file. */
  refusal(request: Request, refused: Failure): readonly JsonPart[];
}

/** Whether a message that is not parsed yet may be a batch: so may what begins with more white space than anybody sends. */
export function mayBeBatch(message: Buffer): boolean {
  for (let at = 0; at < mostLooks; at++) {
    const byte = message[at];
    // What JSON takes for white space.
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return byte === openArray;
  }
  return true;
}

/** Why a batch is refused as a whole, or null. */
export function refuseBatch({ length }: readonly unknown[]): Failure | null {
  if (length > 0 && length <= maxBatchLength) return null;
  return invalidRequest(`a batch must have 1 to ${String(maxBatchLength)} messages`);
}

/**
 * The answer to a batch that is not refused; null if none of its messages is due one. Its writes are called before this returns, its reads
 * when `reserve` has let them.
 * @param reserve asks for memory for all that the batch may hold, in bytes
 */
export async function answerBatch(
  batch: readonly unknown[],
  plan: BatchPlan,
  reserve: (bytes: number) => Promise<void> | undefined,
): Promise<JsonPart[] | null> {
  const { limitMb, maxSizeMb } = plan;
  const lanes = Math.max(1, Math.min(maxBatchReads, Math.floor(limitMb / 2 / maxSizeMb)));
  const answers: (readonly JsonPart[] | null)[] = batch.map(() => null);
  const reads: [index: number, read: Request][] = [];
  const others = batch.map(async (message, index) => {
    const request = readRequest(message);
    if ('refused' in request) {
      answers[index] = errorAnswer(request.id, errorObject(request.refused));
      return;
    }
    const refused = plan.refuse(request);
    if (refused !== null) answers[index] = unlessNotification(request, refused);
    else if (plan.isRead(request)) reads.push([index, request]);
    else answers[index] = await plan.execute(request);
  });
  if (reads.length > 0) await reserve(1.5 * limitMb * megabyte);

  let held = 0;
  const waiting = reads.values();
  const lane = async (): Promise<void> => {
    for (const [index, read] of waiting) {
      const answer = held < limitMb * megabyte ? await plan.execute(read) : unlessNotification(read, overfull());
      answers[index] = answer;
      for (const part of answer ?? []) held += part.length;
    }
  };
  await Promise.all([...others, ...Array.from({ length: lanes }, lane)]);
  const due = answers.filter((answer) => answer !== null);
  return due.length === 0 ? null : [...due.flatMap((answer, index) => [index === 0 ? '[' : ',', ...answer]), ']'];

  /** Only reads are refused at this point: nothing that was done is ever answered with an error. */
  function overfull(): Failure {
    return failure('request_too_large', `Batch answer exceeds maximum limit ${String(limitMb)}MB`);
  }

  function unlessNotification(request: Request, refused: Failure): readonly JsonPart[] | null {
    return request.id === undefined ? null : plan.refusal(request, refused);
  }
}
