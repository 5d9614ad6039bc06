import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import type { Log } from '../../src/observe/log.js';
import { loadReader, memoryUsed, Strain, watchStrain, type Load } from '../../src/observe/strain.js';

const calm: Load = { memory: 0.1, heap: 0.1, eventLoop: 0.1, cpu: 0.1 };
const gb = 2 ** 30;

let lines: string[] = [];
let relieved = 0;
const write =
  (severity: string) =>
  (fields: Readonly<Record<string, unknown>>, message: string): void => {
    lines.push(`${severity} ${String(fields['resource'])} ${String(fields['used'])} ${message}`);
  };
const log: Log = {
  trace: write('trace'),
  debug: write('debug'),
  info: write('info'),
  warn: write('warn'),
  error: write('error'),
  fatal: write('fatal'),
};
const strainOf = (): Strain => new Strain(log, () => relieved++);

beforeEach(() => {
  lines = [];
  relieved = 0;
});

describe('a resource that is running short', () => {
  it('logs nothing while there is enough', () => {
    const strain = strainOf();
    for (const now of [0, 5000, 100_000]) strain.check({ memory: 0.79, heap: 0.79, eventLoop: 0.89, cpu: 0.89 }, now);
    assert.deepEqual(lines, []);
  });

  for (const [resource, used] of [
    ['memory', 0.8],
    ['heap', 0.8],
    ['eventLoop', 0.9],
    ['cpu', 0.9],
  ] as const) {
    it(`logs a warning that says what to do (${resource} at ${String(used)}), and a line once it is over`, () => {
      const strain = strainOf();
      strain.check({ ...calm, [resource]: used }, 0);
      const [line = ''] = lines;
      assert.match(line, new RegExp(`^warn ${resource} ${String(used)} .* \\(${String(used * 100)} %\\): .*--`));
      strain.check({ ...calm, [resource]: used - 0.01 }, 5000);
      assert.equal(lines.length, 1, 'hardly less is not over');
      strain.check(calm, 10_000);
      assert.equal(lines.length, 2);
      assert.match(lines[1] ?? '', new RegExp(`^info ${resource} 0.1 no longer: `));
      strain.check(calm, 15_000);
      assert.equal(lines.length, 2);
    });
  }

  it('warns once a minute while it lasts, and releases spare memory each time', () => {
    const strain = strainOf();
    for (let now = 0; now < 180_000; now += 5000) strain.check({ ...calm, memory: 0.95 }, now);
    assert.equal(lines.length, 3);
    assert.equal(relieved, 3);
  });

  it('does not flood the log when it fluctuates', () => {
    const strain = strainOf();
    for (let now = 0; now < 120_000; now += 5000) strain.check(now % 10_000 === 0 ? { ...calm, cpu: 1 } : calm, now);
    assert.deepEqual(
      lines.map((line) => line.slice(0, 8)),
      ['warn cpu', 'info cpu', 'warn cpu', 'info cpu'],
    );
    assert.equal(relieved, 0);
  });
});

describe('the memory available to a process', () => {
  for (const [name, expected, rss, constrained, free] of [
    ['is what it uses plus what is free on the machine', 0.2, gb, 0, 4 * gb],
    ['is the same if the limit is unknown', 0.2, gb, undefined, 4 * gb],
    ["is the same if the limit exceeds any machine's memory", 0.2, gb, 18446744073709552000, 4 * gb],
    ['is the limit of its container', 0.5, gb, 2 * gb, 100 * gb],
    ['is less if the machine has less free', 0.8, gb, 2 * gb, gb / 4],
  ] as const) {
    it(name, () => {
      assert.equal(memoryUsed(rss, constrained, free), expected);
    });
  }
});

describe('the load of this process', () => {
  it('is reported as fractions', async () => {
    const read = loadReader();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const load = read();
    assert.ok(load);
    for (const [resource, used] of Object.entries(load)) {
      assert.ok(used >= 0 && Number.isFinite(used), `${resource}: ${String(used)}`);
    }
    assert.ok(load.memory > 0 && load.heap > 0);
  });

  it('is unknown while no descriptor is free to read it, without ending anything', () => {
    const read = loadReader();
    mock.timers.enable({ apis: ['setInterval'] });
    const asked = mock.method(process.memoryUsage, 'rss', () => {
      throw Object.assign(new Error('EMFILE: too many open files, uv_resident_set_memory'), { code: 'EMFILE' });
    });
    const end = watchStrain(log, () => relieved++);
    mock.timers.tick(10_000);
    assert.equal(asked.mock.callCount(), 2);
    assert.equal(read(), undefined);
    asked.mock.restore();
    assert.ok(read());
    assert.deepEqual(lines, []);
    end();
    mock.timers.reset();
  });

  it('is sampled until stopped, and keeps no process alive', () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const read = mock.method(process, 'constrainedMemory', () => 1);
    const end = watchStrain(log, () => relieved++);
    mock.timers.tick(10_000);
    assert.equal(read.mock.callCount(), 2);
    assert.match(lines[0] ?? '', /^warn memory .* memory is running short/);
    assert.equal(relieved, 1);
    end();
    mock.timers.tick(60_000);
    assert.equal(read.mock.callCount(), 2);
    mock.timers.reset();
  });
});
