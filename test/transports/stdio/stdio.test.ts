import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLog, type Log } from '../../../src/observe/log.js';
import { CallPath } from '../../../src/call/call.js';
import { Idle } from '../../../src/observe/idle.js';
import { Budget } from '../../../src/call/budget.js';
import { callBytes } from '../../../src/core/memory/held.js';
import type { Pool } from '../../../src/pool/pool.js';
import { JsonRpc, type LineProtocol } from '../../../src/protocols/json-rpc/json-rpc.js';
import { ReadCache } from '../../../src/call/read-cache.js';
import { StdioServer } from '../../../src/transports/stdio/stdio.js';
import { collectGarbage } from '../../collect-garbage.js';
import { withDirectory } from '../../directory.js';
import { testConfig } from '../http/harness.js';

const megabyte = 1_048_576;
/** The memory limit of running calls and unread answers (spec 6). */
const memoryLimit = 256 * megabyte;

/** Collects its input while `open`; otherwise blocks until it is opened. */
class Reader extends Writable {
  readonly taken: Buffer[] = [];
  bytes = 0;
  private release: (() => void) | undefined;

  constructor(private isOpen = true) {
    super();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    for (const { chunk } of chunks) {
      this.bytes += chunk.length;
      if (chunk.length < megabyte) this.taken.push(chunk);
    }
    if (this.isOpen) done();
    else this.release = done;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this._writev([{ chunk }], done);
  }

  open(): void {
    this.isOpen = true;
    this.release?.();
  }

  get lines(): string[] {
    const lines = Buffer.concat(this.taken).toString().split('\n');
    assert.equal(lines.pop(), '', 'the last answer ends with a newline');
    return lines;
  }
}

interface Served {
  readonly input: PassThrough;
  readonly output: Reader;
  readonly server: StdioServer;
  readonly logged: string[];
}

function serve(
  answer: (line: string) => Promise<string | Buffer | null> | string,
  {
    output = new Reader(),
    input = new PassThrough(),
    maxBytes = 100,
    budget = new Budget(memoryLimit),
    loseReader = () => undefined,
  }: {
    output?: Reader;
    input?: PassThrough;
    maxBytes?: number;
    budget?: Budget;
    loseReader?: () => void;
  } = {},
): Served {
  const protocol: LineProtocol = {
    async answer(line) {
      const answered = await answer(line.toString());
      if (answered === null) return null;
      return [typeof answered === 'string' ? Buffer.from(answered) : answered];
    },
    tooLong: () => [Buffer.from('too long')],
    loseReader,
  };
  const logged: string[] = [];
  const write =
    (severity: string) =>
    (_fields: object, message: string): void => {
      logged.push(`${severity}: ${message}`);
    };
  const log: Log = {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  };
  return { input, output, server: new StdioServer(protocol, { maxBytes }, budget, log, { input, output }), logged };
}

/** Lets all pending work run, without waiting for anything else. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

describe('the stdio transport', () => {
  it('answers each line with a line, until the end of the stream', async () => {
    const { input, output, server } = serve((line) => `<${line}>`);
    input.write('a\nb\r\n\n');
    input.end('c');
    await server.finished;
    assert.deepEqual(output.lines, ['<a>', '<b>', '<c>']);
  });

  it('writes nothing if no answer is due', async () => {
    const { input, output, server } = serve((line) => Promise.resolve(line === 'quiet' ? null : line));
    input.end('quiet\nloud\nquiet\n');
    await server.finished;
    assert.deepEqual(output.lines, ['loud']);
  });

  it('answers in the order the work ends', async () => {
    const pending = new Map<string, (answer: string) => void>();
    const { input, output, server } = serve((line) => new Promise((resolve) => pending.set(line, resolve)));
    input.end('1\n2\n3\n');
    await idle();
    for (const line of ['3', '1', '2']) {
      pending.get(line)?.(line);
      await idle();
    }
    await server.finished;
    assert.deepEqual(output.lines, ['3', '1', '2']);
  });

  it('answers 10,000 concurrent messages once each', async () => {
    const pending: (() => void)[] = [];
    const { input, output, server } = serve(
      (line) =>
        new Promise((resolve) => {
          pending.push(() => {
            resolve(line);
          });
        }),
    );
    const lines = Array.from({ length: 10_000 }, (_, index) => String(index));
    input.end(lines.join('\n'));
    await idle();
    assert.equal(pending.length, 10_000);
    for (const [index, finish] of pending.reverse().entries()) {
      finish();
      if (index % 1000 === 0) await setImmediate();
    }
    await server.finished;
    assert.equal(output.lines.length, 10_000);
    assert.deepEqual(new Set(output.lines), new Set(lines));
  });

  it('writes the answers of a tick in few pieces, the first with one answer, in every tick', async () => {
    const { input, output, server } = serve((line) => line);
    const lines = Array.from({ length: 1000 }, (_, index) => `${String(index)}\n`).join('');
    input.write(lines);
    await idle();
    input.end(lines);
    await server.finished;
    const answersOf = output.taken.map((piece) => piece.toString().split('\n').length - 1);
    const ofTick = [1, 3, 12, 48, 192, 744];
    assert.deepEqual(answersOf, [...ofTick, ...ofTick]);
  });

  it('answers a line three times over the limit once, and resumes at the next newline', async () => {
    const { input, output, server } = serve((line) => line, { maxBytes: 100 });
    for (const chunk of ['before\n', 'x'.repeat(150), 'x'.repeat(150), 'x\nafter\n']) {
      input.write(chunk);
      await idle();
    }
    input.end('y'.repeat(300));
    await server.finished;
    assert.deepEqual(output.lines, ['before', 'too long', 'after', 'too long']);
  });

  it('finishes running calls at the end of the stream, and ends after their answers are written', async () => {
    let answer: (text: string) => void = () => undefined;
    const output = new Reader(false);
    const { input, server } = serve(() => new Promise((resolve) => (answer = resolve)), { output });
    let finished = false;
    void server.finished.then(() => (finished = true));
    input.end('a');
    await idle();
    assert.equal(finished, false);
    answer('A');
    await idle();
    assert.equal(finished, false, 'the reader has not taken the answer');
    output.open();
    await server.finished;
    assert.deepEqual(output.lines, ['A']);
  });

  it('reads nothing more when closed, and answers what it has read', async () => {
    let answer: (text: string) => void = () => undefined;
    const { input, output, server } = serve(() => new Promise((resolve) => (answer = resolve)));
    input.write('a\nhalf a line');
    await idle();
    const closed = server.close();
    input.write('\nb\n');
    await idle();
    answer('A');
    await closed;
    await server.finished;
    await idle();
    assert.deepEqual(output.lines, ['A']);
  });

  it('survives a message that cannot be answered', async () => {
    const { input, output, server, logged } = serve((line) =>
      line === 'bad' ? Promise.reject(new Error('unforeseen')) : line,
    );
    input.end('bad\ngood\n');
    await server.finished;
    assert.deepEqual(output.lines, ['good']);
    assert.deepEqual(logged, ['error: a message could not be answered']);
  });

  it('ends as at the end of the stream if stdin fails, dropping the incomplete line', async () => {
    const { input, output, server, logged } = serve((line) => line);
    input.write('a\nhalf');
    await idle();
    input.destroy(new Error('EIO'));
    await server.finished;
    assert.deepEqual(output.lines, ['a']);
    assert.deepEqual(logged, ['warn: stdin cannot be read']);
  });
});

describe('messages with slow answers', () => {
  it('retain only what they count while their answers are unread', async () => {
    const held: WeakRef<ArrayBufferLike>[] = [];
    const output = new Reader(false);
    const { input, server } = serve(
      async (line) => {
        const whole = Buffer.alloc(10_000, line);
        held.push(new WeakRef(whole.buffer));
        return Promise.resolve(whole.subarray(0, 10));
      },
      { output },
    );
    // The first one fills the stream, which emits drain when it is written.
    for (const line of ['a', 'b', 'c']) {
      input.write(`${line}\n`.repeat(4000));
      await idle();
    }
    collectGarbage();
    assert.equal(held.filter((ref) => ref.deref() !== undefined).length, 0);
    output.open();
    input.end();
    await server.finished;
    assert.equal(output.lines.length, 12_000);
  });

  it('stop the server from reading at the memory limit, until some are answered', async () => {
    const pending = new Set<() => void>();
    const { input, output, server } = serve(
      (line) =>
        new Promise((resolve) => {
          pending.add(() => {
            resolve(line);
          });
        }),
      // The memory of 256 of these lines, and some answers.
      { budget: new Budget(256.5 * (callBytes + '399'.length)) },
    );
    // Line by line: input that arrives in one piece is accepted in one piece.
    for (let line = 0; line < 400; line++) {
      input.write(`${String(line)}\n`);
      await setImmediate();
    }
    const answer = async (most: number): Promise<void> => {
      for (const finish of [...pending].slice(0, most)) {
        finish();
        pending.delete(finish);
      }
      await idle();
    };
    assert.equal(pending.size, 257, 'the last one has told that no more fit');
    await answer(100);
    assert.equal(pending.size, 257);
    input.end();
    for (let round = 0; round < 3; round++) await answer(400);
    await server.finished;
    assert.deepEqual(
      output.lines,
      Array.from({ length: 400 }, (_, line) => String(line)),
    );
  });
});

describe('a reader that goes away', () => {
  const brokenPipe = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });

  it('ends the work quietly: running calls finish, nothing more is read', async () => {
    const pending: (() => void)[] = [];
    const started: string[] = [];
    const output = new Reader();
    const { input, server, logged } = serve(
      (line) => {
        started.push(line);
        return line === 'now'
          ? line
          : new Promise((resolve) =>
              pending.push(() => {
                resolve(line);
              }),
            );
      },
      { output },
    );
    output._writev = (_chunks, done: (error?: Error) => void) => {
      done(brokenPipe);
    };
    let finished = false;
    void server.finished.then(() => (finished = true));
    input.write('slow\nnow\n');
    await idle();
    input.write('late\n');
    await idle();
    assert.equal(finished, false, 'one is still running');
    for (const finish of pending) finish();
    await server.finished;
    assert.deepEqual(started, ['slow', 'now']);
    assert.deepEqual(logged, ['debug: stdout takes no more answers']);
  });

  it('is reported to the protocol, once', async () => {
    let told = 0;
    const { output, server } = serve((line) => line, { loseReader: () => told++ });
    output.destroy(brokenPipe);
    await server.finished;
    assert.equal(told, 1);
  });

  it('is noticed even without an error', async () => {
    const { output, server } = serve((line) => line);
    output.destroy();
    await server.finished;
  });

  it('causes a warning on any other error', async () => {
    const { output, server, logged } = serve((line) => line);
    output.destroy(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    await server.finished;
    assert.deepEqual(logged, ['warn: stdout takes no more answers']);
  });
});

describe('a reader that stops reading', () => {
  /** Larger than the joining limit, so one buffer serves for all answers. */
  const answer = Buffer.alloc(300_000, 'x');

  it('stops the server from reading until it resumes', async () => {
    let answered = 0;
    const output = new Reader(false);
    const input = new PassThrough();
    const { server } = serve(
      () => {
        answered++;
        return Promise.resolve(answer);
      },
      { output, input },
    );
    let sent = 0;
    const sender = new Readable({
      read() {
        void setImmediate().then(() => {
          this.push(sent < 50_000 ? 'line\n'.repeat(100) : null);
          sent += 100;
        });
      },
    });
    sender.pipe(input);
    while (!input.isPaused() && sent < 50_000) await idle();
    await idle();
    const most = Math.ceil(memoryLimit / answer.length) + input.readableHighWaterMark / 'line\n'.length;
    assert.ok(answered <= most, String(answered));
    assert.ok(sent < 50_000, 'the sender is held up');
    output.open();
    await server.finished;
    assert.equal(answered, 50_000);
    assert.equal(output.bytes, 50_000 * (answer.length + 1));
  });

  /** Large reads and edits of a stream whose calls run as in a server, one per line. */
  async function readLarge(use: (served: Large) => Promise<void>): Promise<void> {
    await withDirectory({}, async (directory) => {
      const large = Buffer.alloc(10 * megabyte, 'x');
      writeFileSync(join(directory, 'large.txt'), large);
      const config = testConfig({ directory, maxBytes: 16 * megabyte, maxSizeMb: 16 });
      const [budget, idle, log] = [new Budget(memoryLimit), new Idle(() => undefined), createLog('silent')];
      const made: Record<string, number> = { read_file: 0, edit_file: 0 };
      const run: Pool['run'] = async ({ name }) => {
        made[name] = (made[name] ?? 0) + 1;
        await setImmediate();
        return { ok: true, result: {}, json: name === 'read_file' ? large : Buffer.from('{}') };
      };
      const calls = new CallPath({ config, pool: { run }, cache: new ReadCache(directory, 0), budget, idle, log });
      const protocol = new JsonRpc({ config, call: calls.make, budget });
      const output = new Reader(false);
      const input = new PassThrough();
      const server = new StdioServer(protocol, config, budget, log, { input, output });
      const line = (method: string, params: object): string =>
        `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`;
      const read = line('read_file', { name: 'large.txt' });
      await use({ input, output, server, made, read, edit: line('edit_file', { name: 'a.txt', append: 'x' }) });
      idle.close();
    });
  }

  it('delays the start of large reads that have been received, but no edit', () =>
    readLarge(async ({ input, output, server, made, read, edit }) => {
      const count = 500;
      input.end(read.repeat(count) + edit);
      for (let turn = 0; turn < 10; turn++) await idle();
      const { read_file: started = 0 } = made;
      // Each may grow sixfold; the actual size counts once it is known.
      assert.ok(started >= 12 && started <= 25, `${String(started)} were started`);
      assert.equal(made['edit_file'], 1);
      output.open();
      await server.finished;
      assert.equal(made['read_file'], count);
      assert.ok(output.bytes > count * 10 * megabyte);
    }));

  it('and then leaves cancels the waiting reads', () =>
    readLarge(async ({ input, output, server, made, read, edit }) => {
      input.write(read.repeat(500));
      for (let turn = 0; turn < 10; turn++) await idle();
      const { read_file: started } = made;
      input.write(edit);
      await idle();
      output.destroy();
      await server.finished;
      assert.deepEqual(made, { read_file: started, edit_file: 1 });
    }));
});

interface Large extends Omit<Served, 'logged'> {
  readonly made: Readonly<Record<string, number>>;
  readonly read: string;
  readonly edit: string;
}
