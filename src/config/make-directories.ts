/** What the main thread itself asks of the file system, before any worker runs. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from '../core/error-code.js';

/**
 * Make a directory and the missing ones above it, one by one: where none can be made, as below /proc, Node's own
 * recursive mode tries for ever (20.20). A directory that exists already stays as it is.
 * @param mode of those that are made
 * @throws the system error
 */
export function makeDirectories(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeDirectories(dirname(path), mode);
    makeLast(path, mode);
  }
}

/** Its parent exists. */
function makeLast(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Someone else has made it meanwhile.
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
}
