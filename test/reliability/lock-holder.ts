import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../disk/fixtures/lock-holder.ts', import.meta.url));

/** Lend a process that holds the lock of a.txt and a temporary file until its input ends or it is killed. */
export async function withHolder(directory: string, use: (holder: ChildProcess) => Promise<void>): Promise<void> {
  const holder = spawn(process.execPath, [...process.execArgv, program, directory, 'a.txt'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const said: unknown[] = await once(holder.stdout, 'data');
    assert.match(String(said[0]), /^held /);
    await use(holder);
  } finally {
    holder.kill('SIGKILL');
    if (holder.exitCode === null && holder.signalCode === null) await once(holder, 'exit');
  }
}
