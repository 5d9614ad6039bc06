/** Lines on stdin, answers on stdout (contract 9), with a bound on what both hold in memory (contract 6). */
import type { Readable, Writable } from 'node:stream';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import type { LineProtocol, Reserve } from '../protocols/json-rpc.js';
import { joinParts, partBytes, piecesOf, type JsonPart } from '../protocols/result-json.js';
import { LineSplitter } from './line-splitter.js';
import { standardInput } from './standard-input.js';

export interface StdioServer {
  /** Nothing more is read, and every answer was written or nobody is there to take it. Never rejects. */
  readonly finished: Promise<void>;
  /** Read nothing more; resolves with `finished`. What was read of a line without its end is dropped. */
  close(): Promise<void>;
}

/** An answer on its way out. */
interface Answer {
  readonly parts: readonly JsonPart[];
  /** As an answer that waits has to be: a string takes twice the bytes that are counted, a view all of what it is a part of. */
  readonly apart: boolean;
  /** Its newline included. */
  readonly bytes: number;
}

const megabyte = 1_048_576;
const newline = '\n';
/** Answers are joined to writes of up to this size, in bytes; larger ones are written without copying them. */
const joinedBytes = 262_144;

/**
 * Serve the stream until its end, the loss of its reader, or close().
 * @param streams stdin and stdout of the process by default; anything else written to `output` would break the protocol
 */
export function startStdio(
  protocol: LineProtocol,
  config: Pick<Config, 'maxBytes'>,
  log: Log,
  streams: { readonly input: Readable; readonly output: Writable } = {
    input: standardInput(),
    output: process.stdout,
  },
): StdioServer {
  const { input, output } = streams;
  const limit = Math.max(256 * megabyte, 4 * config.maxBytes);
  // In bytes: messages in work, answers that were promised memory, answers that wait to be taken.
  let inWork = 0;
  let promised = 0;
  let untaken = 0;
  let working = 0;
  let reading = true;
  let readerGone = false;
  let pumpDue = false;
  let outbox: Answer[] = [];
  const waiting = new Set<{ readonly bytes: number; readonly grant: () => void }>();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));

  const splitter = new LineSplitter(config.maxBytes, receive, () => {
    send(protocol.tooLong());
  });

  function receive(line: Buffer): void {
    const cost = protocol.weight(line);
    let reserved = 0;
    inWork += cost;
    working++;
    const reserve: Reserve = (bytes) => {
      reserved += bytes;
      if (waiting.size === 0 && fits(bytes)) {
        promised += bytes;
        return undefined;
      }
      return new Promise((resolve) => waiting.add({ bytes, grant: resolve }));
    };
    const answered = (parts: readonly JsonPart[] | null): void => {
      send(parts);
      inWork -= cost;
      promised -= reserved;
      working--;
      settle();
    };
    void protocol.answer(line, reserve).then(answered, (error: unknown) => {
      log.error({ error, category: 'internal' }, 'a message could not be answered');
      answered(null);
    });
  }

  /** One always fits, however large; what waits in line must not keep out the one it waits for. */
  function fits(bytes: number): boolean {
    return promised + untaken === 0 || inWork + promised + untaken + bytes <= limit;
  }

  function send(parts: readonly JsonPart[] | null): void {
    if (parts === null || readerGone) return;
    const bytes = parts.reduce((sum, part) => sum + partBytes(part), newline.length);
    outbox.push({ parts, bytes, apart: false });
    untaken += bytes;
    if (pumpDue) return;
    pumpDue = true;
    // After the other answers of this tick, to write them in one piece.
    process.nextTick(pump);
  }

  function pump(): void {
    pumpDue = false;
    let next = 0;
    while (next < outbox.length && !output.writableNeedDrain && !readerGone) {
      const parts: JsonPart[] = [];
      let bytes = 0;
      for (let answer = outbox[next]; answer !== undefined; answer = outbox[++next]) {
        if (bytes > 0 && bytes + answer.bytes > joinedBytes) break;
        for (const part of answer.parts) parts.push(part);
        parts.push(newline);
        bytes += answer.bytes;
      }
      write(parts, bytes);
    }
    if (next > 0) outbox = outbox.slice(next);
    // Those before them have been seen to when they came.
    for (let index = outbox.length - 1; index >= 0; index--) {
      const answer = outbox[index];
      if (answer === undefined || answer.apart) break;
      outbox[index] = { ...answer, parts: piecesOf(answer.parts), apart: true };
    }
  }

  function write(parts: readonly JsonPart[], bytes: number): void {
    if (bytes <= joinedBytes) {
      writePiece(joinParts(parts, bytes));
      return;
    }
    output.cork();
    for (const piece of piecesOf(parts)) writePiece(piece);
    output.uncork();
  }

  function writePiece(piece: Buffer): void {
    // Called when the system has taken these bytes.
    output.write(piece, () => {
      if (readerGone) return;
      untaken -= piece.length;
      settle();
    });
  }

  /** Whatever may go on now goes on. */
  function settle(): void {
    for (const next of waiting) {
      if (!fits(next.bytes)) break;
      waiting.delete(next);
      promised += next.bytes;
      next.grant();
    }
    if (reading) {
      if (inWork + untaken > limit) input.pause();
      else if (input.isPaused()) input.resume();
    } else if (working === 0 && untaken === 0) {
      finish();
    }
  }

  function stopReading(): void {
    reading = false;
    input.off('data', push);
    input.pause();
    settle();
  }

  function push(chunk: Buffer): void {
    splitter.push(chunk);
    settle();
  }

  function loseReader(error?: Error): void {
    if (readerGone) return;
    readerGone = true;
    untaken = 0;
    outbox = [];
    const quiet = error === undefined || ('code' in error && error.code === 'EPIPE');
    log[quiet ? 'debug' : 'warn']({ error }, 'stdout takes no more answers');
    stopReading();
  }

  input.on('data', push);
  input.once('end', () => {
    if (!reading) return;
    splitter.end();
    stopReading();
  });
  input.once('close', stopReading);
  input.on('error', (error) => {
    log.warn({ error }, 'stdin cannot be read');
    stopReading();
  });
  output.on('drain', pump);
  output.on('error', loseReader);
  output.once('close', () => {
    loseReader();
  });

  return {
    finished,
    close() {
      stopReading();
      return finished;
    },
  };
}
