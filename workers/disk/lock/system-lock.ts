/** Locks of the system on open files. */
import * as system from 'fs-native-extensions';
import { platform } from '../../../src/core/platform.js';

/**
 * A mandatory lock covers one byte beyond the end of any file: so it keeps nobody from reading or writing the file. Any
 * other lock covers the whole file, as it always has. Servers exclude each other only if they lock the same bytes:
 * never change this.
 */
const [offset, length] = platform.hasMandatoryLocks ? [2 ** 52, 1] : [0, 0];

/**
 * One attempt to lock an open file until it is closed.
 * @param shared with other holders that share it
 * @returns false if another open file description holds the lock
 * @throws the system error
 */
export function tryLock(fd: number, shared = false): boolean {
  return system.tryLock(fd, offset, length, { shared });
}

/** @throws the system error */
export function unlock(fd: number): void {
  system.unlock(fd, offset, length);
}
