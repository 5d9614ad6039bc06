import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { settledWithin } from '../../src/settled-within.js';
import { createLog, logLevels, type LogLevel } from '../../src/observe/log.js';

/** Output so far, by lines. */
function linesOf(output: PassThrough): Record<string, unknown>[] {
  const text = String(output.read() ?? '');
  assert.doesNotMatch(text, /[\u2028\u2029]/, 'lenient readers would see more lines');
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => {
    const value: unknown = JSON.parse(line);
    assert.ok(typeof value === 'object' && value !== null);
    return { ...value };
  });
}

describe('the log', () => {
  it('writes JSON lines with level, time, fields and message', async () => {
    const output = new PassThrough();
    const log = createLog('info', () => output);
    log.warn({ operation: 'read_file', errno: undefined }, 'slow');
    await log.flush();
    const [line, ...others] = linesOf(output);
    assert.deepEqual(others, []);
    assert.equal(line?.['level'], 'warn');
    assert.equal(line['msg'], 'slow');
    assert.equal(line['operation'], 'read_file');
    assert.equal(line['pid'], process.pid);
    assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('keeps the order and time of lines logged before pino was loaded', async () => {
    const output = new PassThrough();
    const log = createLog('trace', () => output);
    for (let index = 0; index < 50; index++) log.info({ index }, 'early');
    const before = new Date().toISOString();
    await log.flush();
    log.info({ index: 50 }, 'late');
    await log.flush();
    const lines = linesOf(output);
    assert.deepEqual(
      lines.map((line) => line['index']),
      Array.from({ length: 51 }, (_, index) => index),
    );
    assert.ok(String(lines[49]?.['time']) <= before);
  });

  describe('after its first line', () => {
    /** A log with a manual clock. */
    function logOnItsOwnTime(t: TestContext) {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const output = new PassThrough();
      const loads: string[] = [];
      const log = createLog(
        'info',
        () => output,
        async () => {
          loads.push('pino');
          return (await import('../../src/observe/log-lines.js')).createLines;
        },
      );
      log.info({}, 'the start');
      return { log, loads, output };
    }

    it('loads pino only after a caller waiting for that line can have been answered', async (t) => {
      const { log, loads, output } = logOnItsOwnTime(t);
      t.mock.timers.tick(29);
      await new Promise(setImmediate);
      assert.deepEqual(loads, []);
      t.mock.timers.tick(1);
      await new Promise(setImmediate);
      assert.deepEqual(loads, ['pino']);
      await log.flush();
      assert.equal(linesOf(output).length, 1);
    });

    it('loads pino immediately if flushed', async (t) => {
      const { log, loads, output } = logOnItsOwnTime(t);
      await log.flush();
      assert.deepEqual(loads, ['pino']);
      assert.equal(linesOf(output).length, 1);
    });
  });

  for (const level of logLevels) {
    it(`at ${level} omits lower levels`, async () => {
      const output = new PassThrough();
      const log = createLog(level, () => output);
      const severities = logLevels.filter((each): each is Exclude<LogLevel, 'silent'> => each !== 'silent');
      for (const severity of severities) log[severity]({}, 'line');
      await log.flush();
      const written = linesOf(output).map((line) => line['level']);
      assert.deepEqual(written, severities.slice(logLevels.indexOf(level)));
    });
  }

  it('describes errors', async () => {
    const output = new PassThrough();
    const log = createLog('info', () => output);
    log.fatal({ error: new TypeError('broken') }, 'uncaught exception');
    await log.flush();
    const error = linesOf(output)[0]?.['error'];
    assert.ok(typeof error === 'object' && error !== null);
    assert.equal(Reflect.get(error, 'message'), 'broken');
    assert.match(String(Reflect.get(error, 'stack')), /TypeError: broken\n {4}at /);
  });

  it('drops unread lines, reports how many, and never waits for a reader', async () => {
    const taken: string[] = [];
    let resume: (() => void) | undefined;
    const output = new Writable({
      decodeStrings: false,
      write(chunk: string, _, done) {
        taken.push(chunk);
        // Stalls at the first line, like a full pipe.
        if (resume === undefined) resume = done;
        else done();
      },
    });
    const log = createLog('info', () => output);
    for (let index = 0; index < 3000; index++) log.info({ index, text: 'x'.repeat(1000) }, 'line');
    await log.flush();
    assert.equal(taken.length, 1);
    assert.ok(output.writableLength <= 1_048_576);

    const drained = once(output, 'drain');
    resume?.();
    await drained;
    log.info({}, 'after');
    await log.flush();
    const [notice, last] = taken.slice(-3).filter((line) => line !== '');
    assert.match(String(notice), /"dropped":\d+,"msg":"log lines were dropped: nobody read them"/);
    assert.match(String(last), /"msg":"after"/);
    const written = taken.filter((line) => line.includes('"index"')).length;
    const dropped = Number(/"dropped":(\d+)/.exec(String(notice))?.[1]);
    assert.equal(written + dropped, 3000);
  });

  it("writes lines like pino's where pino cannot be loaded", async () => {
    const time = '2026-01-01T00:00:00.000Z';
    const error = Object.assign(new TypeError('broken'), { code: 'EX' });
    const write = async (load?: Parameters<typeof createLog>[2]): Promise<Record<string, unknown>[]> => {
      const output = new PassThrough();
      const log = createLog('info', () => output, load);
      log.info({ time, index: 1, errno: undefined, nested: { a: [1, null] } }, 'first: "\n\u2028"');
      log.debug({ time }, 'left out');
      log.fatal({ time, error }, 'second');
      await log.flush();
      log.warn({ time, index: 3 }, 'third');
      await log.flush();
      return linesOf(output);
    };
    const [notice, ...lines] = await write(() => Promise.reject(new Error('EMFILE: too many open files')));
    assert.deepEqual([notice?.['level'], notice?.['pid']], ['warn', process.pid]);
    assert.match(String(notice?.['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.match(JSON.stringify(notice), /"message":"EMFILE: too many open files".*pino could not be loaded/);
    assert.deepEqual(lines, await write());
  });

  it('omits that notice where it is below the level', async () => {
    const output = new PassThrough();
    const log = createLog(
      'error',
      () => output,
      () => Promise.reject(new Error('EMFILE')),
    );
    log.error({}, 'line');
    await log.flush();
    assert.deepEqual(
      linesOf(output).map((line) => line['msg']),
      ['line'],
    );
  });

  it('survives a reader that goes away', async () => {
    const output = new PassThrough();
    const log = createLog('info', () => output);
    log.info({}, 'one');
    await log.flush();
    output.destroy(new Error('EPIPE'));
    log.info({}, 'two');
    assert.ok(await settledWithin(log.flush(), 5_000), 'nobody waits for a reader that is gone');
  });
});
