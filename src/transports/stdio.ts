/** Lines on stdin, answers on stdout (spec 9), with a bound on the memory that both take (spec 6). */
import type { Readable, Writable } from 'node:stream';
import { mostHeld } from '../memory/held.js';
import type { Config } from '../config/config.js';
import type { JsonPart } from '../json/parts.js';
import type { Log } from '../monitoring/log.js';
import type { LineProtocol, Reserve } from '../protocols/json-rpc.js';
import { LineSplitter } from './line-splitter.js';
import { Outbox } from './outbox.js';
import { standardInput } from './standard-input.js';

/** Memory for the answer to one message, in bytes. */
interface Share {
  bytes: number;
  /** Set while the message waits for more. */
  waiter: Waiter | undefined;
}

interface Waiter {
  readonly share: Share;
  readonly bytes: number;
  /** There is memory now; false: nobody will take the answer. */
  readonly tell: (there: boolean) => void;
}

/** Serves the stream until its end, the loss of its reader, or close(). */
export class StdioServer {
  /** Nothing more is read, and every answer has been written or nobody is there to take it. Never rejects. */
  readonly finished: Promise<void>;
  private finish: () => void = () => undefined;
  private readonly limit: number;
  /** In bytes: messages being worked on, and memory promised to answers. */
  private inWork = 0;
  private promised = 0;
  /** How many messages are being worked on. */
  private working = 0;
  private reading = true;
  private readerGone = false;
  private readonly waiting = new Set<Waiter>();
  private readonly input: Readable;
  private readonly outbox: Outbox;
  private readonly splitter: LineSplitter;

  /**
   * @param streams stdin and stdout of the process by default; anything else that writes to `output` would break the
   *   protocol
   */
  constructor(
    private readonly protocol: LineProtocol,
    { maxBytes }: Pick<Config, 'maxBytes'>,
    private readonly log: Log,
    streams: { readonly input: Readable; readonly output: Writable } = {
      input: standardInput(),
      output: process.stdout,
    },
  ) {
    const { input, output } = streams;
    this.finished = new Promise((resolve) => (this.finish = resolve));
    this.limit = mostHeld(maxBytes);
    this.input = input;
    this.outbox = new Outbox(output, () => {
      this.settle();
    });
    this.splitter = new LineSplitter(
      maxBytes,
      (line) => {
        this.receive(line);
      },
      () => {
        this.outbox.send(protocol.tooLong());
      },
    );
    this.listen(input, output);
  }

  /** Stop reading; resolves with `finished`. The beginning of an unfinished line is dropped. */
  close(): Promise<void> {
    this.stopReading();
    return this.finished;
  }

  private listen(input: Readable, output: Writable): void {
    input.on('data', this.push);
    input.once('end', () => {
      if (!this.reading) return;
      this.splitter.end();
      this.stopReading();
    });
    input.once('close', () => {
      this.stopReading();
    });
    input.on('error', (error) => {
      this.log.warn({ error }, 'stdin cannot be read');
      this.stopReading();
    });
    output.on('error', (error) => {
      this.loseReader(error);
    });
    output.once('close', () => {
      this.loseReader();
    });
  }

  private readonly push = (chunk: Buffer): void => {
    this.splitter.push(chunk);
    this.settle();
  };

  private receive(line: Buffer): void {
    const { protocol, log } = this;
    const cost = protocol.weight(line);
    const share: Share = { bytes: 0, waiter: undefined };
    this.inWork += cost;
    this.working++;
    const reserve: Reserve = (bytes) => this.enlarge(share, bytes);
    const answered = (parts: readonly JsonPart[] | null): void => {
      this.outbox.send(parts);
      this.inWork -= cost;
      this.giveBack(share);
      this.working--;
      this.settle();
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

  /** Set so much memory aside for an answer, instead of what it had. */
  private enlarge(share: Share, bytes: number): true | Promise<boolean> {
    this.giveBack(share);
    if (this.readerGone) return Promise.resolve(false);
    if (this.waiting.size === 0 && this.fits(bytes)) {
      this.grant(share, bytes);
      return true;
    }
    return new Promise((tell) => {
      share.waiter = { share, bytes, tell };
      this.waiting.add(share.waiter);
      // What it held may be enough for others.
      this.settle();
    });
  }

  private grant(share: Share, bytes: number): void {
    share.bytes = bytes;
    this.promised += bytes;
  }

  /** Also of a message that is answered while it waits, as one that is refused is. */
  private giveBack(share: Share): void {
    this.promised -= share.bytes;
    share.bytes = 0;
    if (share.waiter !== undefined) this.waiting.delete(share.waiter);
    share.waiter = undefined;
  }

  /** One always fits, however large; those that wait in line must not keep out the one they wait for. */
  private fits(bytes: number): boolean {
    const { promised, inWork, outbox, limit } = this;
    return promised + outbox.untaken === 0 || inWork + promised + outbox.untaken + bytes <= limit;
  }

  /** Let everything go on that can. */
  private settle(): void {
    const { waiting, input, outbox } = this;
    for (const { share, bytes, tell } of waiting) {
      if (!this.fits(bytes)) break;
      this.giveBack(share);
      this.grant(share, bytes);
      tell(true);
    }
    if (this.reading) {
      if (this.inWork + outbox.untaken > this.limit) input.pause();
      else if (input.isPaused()) input.resume();
    } else if (this.working === 0 && outbox.untaken === 0) {
      this.finish();
    }
  }

  private stopReading(): void {
    this.reading = false;
    this.input.off('data', this.push);
    this.input.pause();
    this.settle();
  }

  private loseReader(error?: Error): void {
    if (this.readerGone) return;
    this.readerGone = true;
    this.outbox.close();
    // Nothing but their answers would come of them: 20,000 lists of 3,000 files, asked for before, took minutes.
    for (const { share, tell } of this.waiting) {
      this.giveBack(share);
      tell(false);
    }
    const quiet = error === undefined || ('code' in error && error.code === 'EPIPE');
    this.log[quiet ? 'debug' : 'warn']({ error }, 'stdout takes no more answers');
    this.stopReading();
  }
}
