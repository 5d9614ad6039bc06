/** Messages as lines on stdin, answers on stdout (spec 9), with bounded memory (spec 6). */
import type { Readable, Writable } from 'node:stream';
import type { Config } from '../../config/config.js';
import type { JsonPart } from '../../call/parts.js';
import type { Budget } from '../../call/budget.js';
import { callBytes } from '../../core/memory/held.js';
import type { Log } from '../../observe/log.js';
import type { LineProtocol } from '../../protocols/json-rpc/json-rpc.js';
import { LineSplitter } from './line-splitter.js';
import { Outbox } from './outbox.js';
import { standardInput } from './standard-input.js';

/** Serves the stream until its end, the loss of its reader or close(). */
export class StdioServer {
  /** Resolves once reading has ended and all answers are written or the reader has gone. Never rejects. */
  readonly finished: Promise<void>;
  private finish: () => void = () => undefined;
  /** Messages in progress. */
  private working = 0;
  private reading = true;
  private readerGone = false;
  /** Set while reading is suspended for lack of memory. */
  private stopWaiting: (() => void) | undefined;
  private readonly input: Readable;
  private readonly outbox: Outbox;
  private readonly splitter: LineSplitter;

  /** @param streams default: stdin and stdout of the process; no other code may write to `output` */
  constructor(
    private readonly protocol: LineProtocol,
    { maxBytes }: Pick<Config, 'maxBytes'>,
    private readonly budget: Budget,
    private readonly log: Log,
    streams: { readonly input: Readable; readonly output: Writable } = {
      input: standardInput(),
      output: process.stdout,
    },
  ) {
    const { input, output } = streams;
    this.finished = new Promise((resolve) => (this.finish = resolve));
    this.input = input;
    this.outbox = new Outbox(output, budget, () => {
      this.finishIfDone();
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

  /** Stop reading; resolves with `finished`. An unfinished line is dropped. */
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
    if (this.budget.isFull) this.rest();
  };

  /** Suspend reading until there is room. */
  private rest(): void {
    if (!this.reading || this.stopWaiting !== undefined) return;
    this.input.pause();
    this.stopWaiting = this.budget.wait('body', 0, () => {
      this.stopWaiting = undefined;
      this.input.resume();
    });
  }

  private receive(line: Buffer): void {
    const { protocol, budget, log } = this;
    const held = line.length + callBytes;
    budget.hold('body', held);
    this.working++;
    const answered = (parts: readonly JsonPart[] | null): void => {
      this.outbox.send(parts);
      this.working--;
      budget.release('body', held);
      this.finishIfDone();
    };
    const failed = (error: unknown): void => {
      log.error({ error, category: 'internal' }, 'a message could not be answered');
      answered(null);
    };
    try {
      void protocol.answer(line).then(answered, failed);
    } catch (error) {
      failed(error);
    }
  }

  private finishIfDone(): void {
    if (!this.reading && this.working === 0 && this.outbox.untaken === 0) this.finish();
  }

  private stopReading(): void {
    this.reading = false;
    this.input.off('data', this.push);
    this.input.pause();
    this.stopWaiting?.();
    this.protocol.inputEnded?.();
    this.finishIfDone();
  }

  private loseReader(error?: Error): void {
    if (this.readerGone) return;
    this.readerGone = true;
    // Drop waiting reads, which have no effect but their answers: 20,000 queued lists of 3,000 files took minutes.
    this.protocol.loseReader();
    this.outbox.close();
    const quiet = error === undefined || ('code' in error && error.code === 'EPIPE');
    this.log[quiet ? 'debug' : 'warn']({ error }, 'stdout takes no more answers');
    this.stopReading();
  }
}
