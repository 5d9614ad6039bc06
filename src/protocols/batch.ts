/** JSON-RPC batches: an array of messages, answered by an array once the last one is done. */
import { mostMessageBytes } from '../../workers/task.js';
import { bytesPerMb, type AnswerRoom } from '../memory/held.js';
import { failure, type Failure } from '../errors.js';
import { partBytes, type JsonPart } from '../json/parts.js';
import { errorAnswer, invalidRequest, readRequest, type Request } from './envelope.js';
import { errorObject } from '../json/result-json.js';
import { Turns } from '../turns.js';

/**
 * How many messages a batch may have. To answer each of 10,000 took 0.3 s of the main thread if all were refused, and
 * 1.2 s and 138 MB if all asked for the list of tools, so that a SIGTERM after twelve such batches took 16 s.
 */
export const maxBatchLength = 1_000;
/** How many reads of one batch run at once. */
const maxBatchReads = 32;

const openArray = 0x5b;
/** How many bytes of white space in front of a message are looked at. */
const mostLooks = 64;

/** How the parts of a batch are handled, and how much it may hold. */
export interface BatchPlan {
  /** Limit of its answers that are finished before the last one is; about half as much is being worked on besides. */
  readonly limitMb: number;
  /** Limit of one answer. */
  readonly maxSizeMb: number;
  /** Why a message may not be in a batch, or null. */
  refuse(request: Request): Failure | null;
  /** Whether its answer may be large. */
  isRead(request: Request): boolean;
  /**
   * Writes are called before this returns. Null: no answer is due.
   * @param room for the answer of a write
   */
  execute(request: Request, room?: AnswerRoom): Promise<readonly JsonPart[] | null>;
  /** The answer to a call that was refused before it was made: the error names the operation and the file. */
  refusal(request: Request, refused: Failure): readonly JsonPart[];
}

/** Whether an unparsed message may be a batch. Also true if it begins with more white space than anyone sends. */
export function mayBeBatch(message: Buffer): boolean {
  for (let at = 0; at < mostLooks; at++) {
    const byte = message[at];
    // The white space of JSON.
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return byte === openArray;
  }
  return true;
}

/** How many bytes of a message to an MCP client each answer to a batch may take, less the comma after it. */
export function partOfMessage({ length }: readonly unknown[]): number {
  return Math.floor(mostMessageBytes / length) - 2;
}

/** Why a batch is refused as a whole, or null. */
export function refuseBatch({ length }: readonly unknown[]): Failure | null {
  if (length > 0 && length <= maxBatchLength) return null;
  return invalidRequest(
    `A batch must have 1 to ${String(maxBatchLength)} messages.`,
    length === 0 ? undefined : `Nothing was done. Send these ${String(length)} messages in several batches.`,
  );
}

/**
 * The answer to a batch that is not refused; null if no message is due one. Its writes are called before this returns,
 * its reads when `reserve` allows.
 * @param reserve asks for memory for all that the batch may hold, in bytes; false if nobody will take what is read
 */
export async function answerBatch(
  batch: readonly unknown[],
  plan: BatchPlan,
  reserve: (bytes: number) => true | Promise<boolean>,
): Promise<JsonPart[] | null> {
  const { limitMb, maxSizeMb } = plan;
  const lanes = Math.max(1, Math.min(maxBatchReads, Math.floor(limitMb / 2 / maxSizeMb)));
  const answers: (readonly JsonPart[] | null)[] = batch.map(() => null);
  const reads: [index: number, read: Request][] = [];
  const writeRoom = fixedRoom((limitMb * bytesPerMb) / batch.length);
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
    else answers[index] = await plan.execute(request, writeRoom);
  });
  let held = 0;
  const waiting = reads.values();
  // Answers from memory are waited for within one turn of the event loop.
  const turns = new Turns();
  const lane = async (): Promise<void> => {
    for (const [index, read] of waiting) {
      const answer = await turns.run(() =>
        held < limitMb * bytesPerMb ? plan.execute(read) : unlessNotification(read, overfull()),
      );
      answers[index] = answer;
      for (const part of answer ?? []) held += partBytes(part);
    }
  };
  const allReads = async (): Promise<void> => {
    if (reads.length > 0 && !(await reserve(1.5 * limitMb * bytesPerMb))) return;
    await Promise.all(Array.from({ length: lanes }, lane));
  };
  await Promise.all([...others, allReads()]);
  const due = answers.filter((answer) => answer !== null);
  return due.length === 0 ? null : [...due.flatMap((answer, index) => [index === 0 ? '[' : ',', ...answer]), ']'];

  /** Only reads are refused at this point: what has been done is never answered with an error. */
  function overfull(): Failure {
    return failure('request_too_large', `Batch answer exceeds maximum limit ${String(limitMb)}MB`);
  }

  function unlessNotification(request: Request, refused: Failure): readonly JsonPart[] | null {
    return request.id === undefined ? null : plan.refusal(request, refused);
  }
}

/** All writes of a batch are made at once, in order, so none can wait until there is room for its answer. */
function fixedRoom(bytes: number): AnswerRoom {
  return { bytes, enlarge: () => Promise.resolve(null) };
}
