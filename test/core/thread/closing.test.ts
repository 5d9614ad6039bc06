import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, readlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import { closeLeft, closingBytes } from '../../../src/core/thread/closing.js';
import { withDirectory } from '../../directory.js';

/** A thread that opens files, has them closed while all libuv threads are busy, and ends immediately. */
const program = `
  import { pbkdf2 } from 'node:crypto';
  import { fstatSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
  import { parentPort, workerData } from 'node:worker_threads';
  import { closeMeanwhile, noteClosingIn } from './src/core/thread/closing.ts';
  const { memory, directory, files, removed } = workerData;
  noteClosingIn(memory);
  for (let busy = 0; busy < 16; busy++) pbkdf2('a', 'b', 100_000, 64, 'sha512', () => undefined);
  const fds = Array.from({ length: files }, (_, index) => {
    const path = directory + '/' + index;
    writeFileSync(path, 'text');
    const fd = openSync(path, 'r');
    if (removed) unlinkSync(path);
    return fd;
  });
  const taken = fds.map((fd) => closeMeanwhile(fd, fstatSync(fd, { bigint: true }), () => undefined));
  parentPort.postMessage({ fds, taken });
  process.exit();
`;

interface Ended {
  readonly memory: SharedArrayBuffer;
  readonly id: number;
  readonly taken: readonly boolean[];
  /** Descriptors that the thread left open. */
  readonly left: () => readonly number[];
}

async function afterThread(
  { files, removed }: { readonly files: number; readonly removed: boolean },
  check: (ended: Ended) => void,
): Promise<void> {
  const resolveDir = fileURLToPath(new URL('../../..', import.meta.url));
  const { outputFiles } = buildSync({
    stdin: { contents: program, resolveDir, loader: 'ts' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    write: false,
  });
  await withDirectory({}, async (directory) => {
    const memory = new SharedArrayBuffer(closingBytes);
    const thread = new Worker(outputFiles[0]?.text ?? '', {
      eval: true,
      workerData: { memory, directory, files, removed },
    });
    const id = thread.threadId;
    const [message] = await Promise.all([once(thread, 'message'), once(thread, 'exit')]);
    const [{ fds, taken }] = message as [{ fds: readonly number[]; taken: readonly boolean[] }];
    check({ memory, id, taken, left: () => fds.filter((fd) => isOpenIn(directory, fd)) });
  });
}

function isOpenIn(directory: string, fd: number): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${String(fd)}`).startsWith(directory);
  } catch {
    return false;
  }
}

describe(
  'descriptors that a dead thread left for others to close',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  () => {
    it('are closed when it has ended', () =>
      afterThread({ files: 10, removed: true }, ({ memory, id, left }) => {
        assert.ok(left().length > 0, 'nothing was left, so this proves nothing');
        closeLeft(memory, id + 1);
        assert.ok(left().length > 0, 'those of another thread are not its own');
        closeLeft(memory, id);
        assert.deepEqual(left(), []);
        assert.ok(
          new BigInt64Array(memory).every((cell, index) => index % 5 !== 0 || cell === 0n),
          'there is room again',
        );
      }));

    it('stay open if their numbers may have been reused', () =>
      afterThread({ files: 10, removed: false }, ({ memory, id, left }) => {
        const before = left();
        assert.ok(before.length > 0, 'nothing was left, so this proves nothing');
        closeLeft(memory, id);
        assert.deepEqual(left(), before);
        for (const fd of before) closeSync(fd);
      }));

    it('are not handed over if there is no room to record them', () =>
      afterThread({ files: 70, removed: true }, ({ memory, id, taken, left }) => {
        assert.deepEqual([taken.slice(0, 64).every(Boolean), taken.slice(64).some(Boolean)], [true, false]);
        closeLeft(memory, id);
        assert.deepEqual(left(), []);
      }));
  },
);
