/** Lines on stdin, answers on stdout (contract 9), with a bound on the memory that both take (contract 6). */
import type { Readable, Writable } from 'node:stream';
import { mostHeld } from '../held-memory.js';
import type { Config } from '../config/config.js';
import type { JsonPart } from '../json/parts.js';
import type { Log } from '../monitoring/log.js';
import type { LineProtocol, Reserve } from '../protocols/json-rpc.js';
import { LineSplitter } from './line-splitter.js';
import { Outbox } from './outbox.js';
import { standardInput } from './standard-input.js';

export interface StdioServer {
  /** Nothing more is read, and every answer has been written or nobody is there to take it. Never rejects. */
  readonly finished: Promise<void>;
  /** Stop reading; resolves with `finished`. The beginning of an unfinished line is dropped. */
  close(): Promise<void>;
}

/**
 * Serve the stream until its end, the loss of its reader, or close().
 * @param streams stdin and stdout of the process by default; anything else that writes to `output` would break the
 *   protocol
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
  // In bytes: messages being worked on, and memory promised to answers.
  let inWork = 0;
  let promised = 0;
  let working = 0;
  let reading = true;
  let readerGone = false;
  const waiting = new Set<{ readonly bytes: number; readonly grant: () => void }>();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const outbox = new Outbox(output, settle);

  const splitter = new LineSplitter(config.maxBytes, receive, () => {
    outbox.send(protocol.tooLong());
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
        // What it held may be enough for others.
        settle();
      });
    };
    const answered = (parts: readonly JsonPart[] | null): void => {
      outbox.send(parts);
      inWork -= cost;
      promised -= reserved;
      working--;
      settle();
    };
    const failed = (error: unknown): void => {
      log.error({ error, category: 'internal' }, 'a message could not be answered');
      answered(null);
    };
    try {
      void protocol.answer(line, reserve).then(answered, failed);
    } catch (error) {
      failed(error);
    }
  }

  /** One always fits, however large; those that wait in line must not keep out the one they wait for. */
  function fits(bytes: number): boolean {
    return promised + outbox.untaken === 0 || inWork + promised + outbox.untaken + bytes <= limit;
  }

  /** Let everything go on that can. */
  function settle(): void {
    for (const next of waiting) {
      if (!fits(next.bytes)) break;
      waiting.delete(next);
      promised += next.bytes;
      next.grant();
    }
    if (reading) {
      if (inWork + outbox.untaken > limit) input.pause();
      else if (input.isPaused()) input.resume();
    } else if (working === 0 && outbox.untaken === 0) {
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
    outbox.close();
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
