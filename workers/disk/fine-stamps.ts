/**
 * Where time stamps tell every write from the one before it. Linux has kept them like that since 6.13, on its own file
 * systems ("multigrain"): once somebody has asked for the stamps of a file, the next write gets others, however soon it
 * comes. Elsewhere writes within one tick of the clock, 1 to 10 ms, share theirs.
 */
import { type BigIntStats } from 'node:fs';
import { OperationError, type Notice } from '../../src/errors.js';
import { fileSystemType, fstat, write } from './calls.js';
import { createTemporary, discardTemporary, type Reserved, type TemporaryFile } from './reserved.js';
import { isSystemError } from './system-error.js';

/** `f_type` of ext2 to ext4, XFS, Btrfs and tmpfs: only this machine writes to them, and only through its kernel. */
const local: readonly number[] = [0xef53, 0x58465342, 0x9123683e, 0x01021994];

/** More writes than a clock that ticks every millisecond could stamp differently by chance: they take 0.04 ms. */
const trials = 8;

/** What was found out, by device: by trying, since neither a version nor a name of a kernel proves it. */
const known = new Map<bigint, boolean>();

/**
 * Whether no write to a file on a device can leave its time stamps as they were.
 * @param reserved the reserved directory, if it is on this device; any other device is not known
 */
export function everyWriteIsStamped(dev: bigint, reserved: Reserved, notices: Notice[]): boolean {
  const found = known.get(dev) ?? tryOut(dev, reserved, notices);
  known.set(dev, found);
  return found;
}

function tryOut(dev: bigint, reserved: Reserved, notices: Notice[]): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const trial = createTemporary(reserved.use(notices), notices);
    try {
      return trial.stats.dev === dev && local.includes(fileSystemType(trial.path)) && hasFineStamps(trial);
    } finally {
      discardTemporary(trial, notices);
    }
  } catch (error) {
    // A full disk, say, or a sweep that took the file each time. Nothing depends on it but speed.
    if (!isSystemError(error) && !(error instanceof OperationError)) throw error;
    return false;
  }
}

function hasFineStamps({ fd, stats }: TemporaryFile): boolean {
  const byte = Buffer.from(' ');
  let before: Pick<BigIntStats, 'mtimeNs' | 'ctimeNs'> = stats;
  for (let trial = 0; trial < trials; trial++) {
    if (write(fd, byte, 0) === 0) return false;
    const after = fstat(fd);
    if (after.mtimeNs === before.mtimeNs || after.ctimeNs === before.ctimeNs) return false;
    before = after;
  }
  return true;
}
