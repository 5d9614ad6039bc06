/** Checks the model of a loss of power by traces made by hand: what it must find, and what it must not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withDirectory } from '../../../directory.js';
import { randomFrom } from '../../../reliability/random.js';
import type { Node } from './effects.js';
import { statesAfterLoss, type Lost } from './lost-power.js';
import { systemCallsIn } from './system-calls.js';
import { TimelineReader } from './timeline.js';

const hex = (text: string): string =>
  `"${text.replaceAll(/./gs, (each) => `\\x${Buffer.from(each).toString('hex')}`)}"`;

/** One call a line, as strace shows it, with `'/a'` for a path in the directory. ` = 0` may be left out. */
function callsIn(trace: string, directory: string): ReturnType<typeof systemCallsIn> {
  const lines = trace
    .trim()
    .split('\n')
    .map((line) => line.trim().replaceAll(/'([^']*)'/g, (_, text: string) => hex(text.replace(/^\//, `${directory}/`))))
    .map((line) => (/ = |unfinished/.test(line) ? line : `${line} = 0`));
  return systemCallsIn(lines.map((line) => (/^\d/.test(line) ? line : `1 ${line}`)).join('\n'));
}

/** A call is answered where a line says so. @returns the files of each state; those after the answer begin with `!` */
async function statesOf(files: Readonly<Record<string, string>>, trace: string): Promise<string[]> {
  return withDirectory(files, (directory) => {
    const reader = new TimelineReader(directory);
    const [first = '', second] = trace.split('answered');
    for (const call of callsIn(first, directory)) reader.read(call);
    if (second !== undefined) reader.answer(1);
    const { distinct } = statesAfterLoss(reader.timeline, randomFrom(1), Infinity);
    return distinct.map((state) => `${state.answered > 0 ? '!' : ''}${filesIn(state, state.root)}`).sort();
  });
}

/** The states after the call was answered. */
function answered(states: readonly string[]): string[] {
  return states.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
}

function filesIn(state: Lost, directory: Node): string {
  return [...(state.entries.get(directory.id) ?? [])]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, node]) => {
      const inside = node.kind === 'directory' ? filesIn(state, node) : String(state.bytesOf(node));
      return `${name}(${inside.replaceAll('\0', '0')})`;
    })
    .join(' ');
}

const replaced = `
  openat(AT_FDCWD, '/t', O_RDWR|O_CREAT|O_EXCL, 0600) = 5
  write(5, 'new!', 4) = 4
  fsync(5)
  rename('/t', '/a')
  openat(AT_FDCWD, '/.', O_RDONLY|O_DIRECTORY) = 6`;

describe('a loss of power', () => {
  it('after the directory was synced loses no rename', async () => {
    const states = await statesOf({ a: 'old' }, `${replaced}\n fsync(6)\n answered`);
    assert.deepEqual(answered(states), ['a(new!)']);
  });

  it('loses a rename whose directory was never synced, although the call was answered', async () => {
    const states = await statesOf({ a: 'old' }, `${replaced}\n answered`);
    assert.deepEqual(answered(states), ['a(new!)', 'a(old)', 'a(old) t(new!)']);
  });

  it('leaves a file empty, in part or without its bytes, if its rename was not preceded by a sync', async () => {
    const states = await statesOf({ a: 'old' }, replaced.replace('fsync(5)', ''));
    for (const each of ['a()', 'a(ne)', 'a(0000)', 'a(new!)', 'a(old)']) assert.ok(states.includes(each), each);
    assert.ok(!(await statesOf({ a: 'old' }, replaced)).includes('a()'));
  });

  it('loses the file that was synced, if its name was not', async () => {
    const made = `openat(AT_FDCWD, '/n', O_RDWR|O_CREAT, 0600) = 5\n write(5, 'x', 1) = 1\n fsync(5)\n answered`;
    assert.deepEqual(answered(await statesOf({}, made)), ['', 'n(x)']);
  });

  it('takes with a directory what is below, and leaves what was to be moved there', async () => {
    const moved = `
      mkdir('/d', 0777)
      rename('/a', '/d/a')
      openat(AT_FDCWD, '/d', O_RDONLY|O_DIRECTORY) = 5
      fsync(5)
      answered`;
    assert.deepEqual(answered(await statesOf({ a: 'x' }, moved)), ['a(x)', 'd(a(x))']);
  });

  it('keeps what was renamed, whatever became of its earlier name', async () => {
    const states = await statesOf({ a: 'old' }, `${replaced}\n fsync(6)`);
    assert.ok(states.every((each) => /a\((?:old|new!)\)/.test(each)));
  });

  it('is not held off by a sync that has not ended, nor by one that began before', async () => {
    const early = replaced.replace("rename('/t', '/a')", '');
    const begunBefore = `${early}
      2 fsync(6 <unfinished ...>
      1 rename('/t', '/a')
      2 <... fsync resumed>) = 0
      answered`;
    const states = await statesOf({ a: 'old' }, begunBefore);
    assert.ok(states.includes('!a(old) t(new!)'));
    assert.ok(!states.includes('!a(old)'), 'that sync has put the name of the new file on disk');
  });

  it('finds each file by its other name', async () => {
    const kept = `link('/a', '/k')\n unlink('/a')`;
    assert.deepEqual(await statesOf({ a: 'x' }, kept), ['', 'a(x)', 'a(x) k(x)', 'k(x)']);
  });
});

describe('a call that the model does not know', () => {
  for (const call of [
    `openat(AT_FDCWD, '/a', O_RDWR) = 5\n copy_file_range(5, NULL, 6, NULL, 9, 0) = 9`,
    `openat(AT_FDCWD, '/a', O_RDWR) = 5\n mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, 5, 0) = 0x7f00`,
    `renameat2(AT_FDCWD, '/a', AT_FDCWD, '/b', RENAME_EXCHANGE)`,
    `unlink('/proc/1/fd/77/a')`,
  ]) {
    it(`is refused: ${call.split('\n').at(-1)?.trim() ?? ''}`, async () => {
      await assert.rejects(statesOf({ a: 'x' }, call), /does not know this call/);
    });
  }
});
