/** Lines on stdin, answers on stdout (contract 9), with a bound on what both hold in memory (contract 6). */
import type { Readable, Writable } from 'node:stream';
import { mostHeld } from '../held-memory.js';
import type { Config } from '../config/config.js';
import type { Log } from '../monitoring/log.js';
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

const newline = '\n';
/** Answers are joined to writes of up to this size, in bytes; larger ones are written without copying them. */
const joinedBytes = 262_144;
/**
 * From this size on they are joined also while nothing can be written: until then they hold more than is counted, strings
 * twice their bytes, and views all of what they are a part of.
 */
const mostApart = 16_384;

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
  const limit = mostHeld(config.maxBytes);
  // In bytes: messages in work, answers that were promised memory, answers that wait to be taken.
  let inWork = 0;
  let promised = 0;
  let untaken = 0;
  let working = 0;
  let reading = true;
  let readerGone = false;
  let pumpDue = false;
  /** The last answers, and what they take in bytes. */
  let fresh: JsonPart[] = [];
  let freshBytes = 0;
  /** Those before them, in pieces; each group is to be written at once. */
  let outbox: Buffer[][] = [];
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
      promised -= reserved;
      reserved = bytes;
      if (waiting.size === 0 && fits(bytes)) {
        promised += bytes;
        return undefined;
      }
      return new Promise((resolve) => {
        waiting.add({ bytes, grant: resolve });
        // What it had may be enough for others.
        settle();
      });
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
    if (freshBytes + bytes > joinedBytes) join();
    for (const part of parts) fresh.push(part);
    fresh.push(newline);
    freshBytes += bytes;
    untaken += bytes;
    if (pumpDue) return;
    pumpDue = true;
    // After the other answers of this tick, to write them in one piece.
    process.nextTick(pump);
  }

  function join(): void {
    if (freshBytes === 0) return;
    outbox.push(freshBytes <= joinedBytes ? [joinParts(fresh, freshBytes)] : piecesOf(fresh));
    fresh = [];
    freshBytes = 0;
  }

  function pump(): void {
    pumpDue = false;
    while (!output.writableNeedDrain && !readerGone) {
      if (outbox.length === 0) join();
      const group = outbox.shift();
      if (group === undefined) return;
      if (group.length > 1) output.cork();
      for (const piece of group) writePiece(piece);
      if (group.length > 1) output.uncork();
    }
    if (freshBytes >= mostApart) join();
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
    fresh = [];
    freshBytes = 0;
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
