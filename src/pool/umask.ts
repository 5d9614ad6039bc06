import { readFileSync } from 'node:fs';

/**
 * The mask of this process for the modes of new files. Linux tells it. Elsewhere the only way to read it is to set it
 * for a moment, for all threads: another server of this process could make a directory just then, so it is set to the
 * one that gives the fewest rights.
 */
export function readUmask(): number {
  try {
    const [, mask] = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
    if (mask !== undefined) return parseInt(mask, 8);
  } catch {
    // No /proc.
  }
  const umask = process.umask(0o077);
  process.umask(umask);
  return umask;
}
