/** The only file system access of the main thread before any worker runs. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from '../core/error-code.js';

/**
 * Make a directory and its missing parents, one by one: where none can be made, as below /proc, Node's own recursive
 * mode loops forever (20.20). An existing directory stays unchanged.
 * @param mode of the new directories
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
    // Another process has made it in between.
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
}
