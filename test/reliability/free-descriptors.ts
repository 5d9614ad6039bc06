/** Leaves a process few descriptors, without opening any itself. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** More than any single step of a call needs. */
export const plenty = 8;

export function cannotLimit(): string | false {
  if (process.platform !== 'linux') return 'needs /proc';
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'needs prlimit';
  }
}

/** Limit the process to this many free descriptors, or restore its maximum. */
export function leave(pid: number | undefined, spare: number | 'all'): void {
  assert.ok(pid !== undefined);
  const open = new Set(readdirSync(`/proc/${String(pid)}/fd`).map(Number));
  let limit = 0;
  for (let free = 0; open.has(limit) || free < (spare === 'all' ? plenty * 100 : spare); limit++) {
    if (!open.has(limit)) free++;
  }
  // Only the soft limit, since raising the hard one again needs root.
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${String(limit)}:`]);
}
