/**
 * Simulates a process that is killed at one of its file system calls. From then on none has an effect, except closing
 * files: the system does that for a killed process.
 */
import { closeSync, readdirSync, readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { instead, mend } from './faults.js';

const names = [
  'accessSync',
  'fchmodSync',
  'fchownSync',
  'fstatSync',
  'fsync',
  'fsyncSync',
  'futimesSync',
  'linkSync',
  'lstatSync',
  'mkdirSync',
  'openSync',
  'readdirSync',
  'readlinkSync',
  'readSync',
  'renameSync',
  'rmdirSync',
  'symlinkSync',
  'unlinkSync',
  'writeSync',
] as const;

class Killed extends Error {}

/**
 * Do something and kill it at its `nth` call, from 1, without effect; then release its locks, as the system would.
 * @param directory whose files it has open
 * @returns the name of that call; undefined if it ended before
 */
export async function killedAt(nth: number, directory: string, work: () => unknown): Promise<string | undefined> {
  let count = 0;
  let killedIn: string | undefined;
  for (const name of names) {
    instead(name, (call, ...args) => {
      if (++count === nth) killedIn = name;
      if (count >= nth) throw new Killed();
      return call(...args);
    });
  }
  try {
    await work();
  } catch (error) {
    if (killedIn === undefined) throw error;
  } finally {
    mend();
    await setImmediate();
    closeAllBelow(directory);
  }
  return killedIn;
}

function closeAllBelow(directory: string): void {
  for (const fd of readdirSync('/proc/self/fd')) {
    let path: string;
    try {
      path = readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // The descriptor that listed them.
      continue;
    }
    // Those of replaced files are closed later (workers/disk/close.ts).
    if (path.endsWith(' (deleted)')) continue;
    if (path === directory || path.startsWith(`${directory}/`)) closeSync(Number(fd));
  }
}
