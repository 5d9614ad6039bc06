/** Whether a directory lies on local file systems. */
import { readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { mountsIn } from '../core/mounts.js';
import { isOnLocalDisk, platform } from '../core/platform.js';

/** File systems that ask neither a server nor a user program for their files. */
const local = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'tmpfs', 'overlay', 'zfs', 'f2fs', 'bcachefs', 'ramfs']);
/** How long an answer holds, in milliseconds: reading the table takes 0.1 ms. */
const holdsMs = 1_000;

export class LocalFiles {
  private lookedAt = -Infinity;
  private result = false;

  /** @param directory an absolute path without links */
  constructor(private readonly directory: string) {}

  /** Whether the directory and everything mounted below it are local, as far as the system tells. */
  get isLocal(): boolean {
    const now = performance.now();
    if (now - this.lookedAt > holdsMs) {
      this.lookedAt = now;
      this.result = isLocal(this.directory);
    }
    return this.result;
  }
}

function isLocal(directory: string): boolean {
  if (!platform.hasProc) return isOnLocalDisk(directory);
  let mounts: string;
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return false;
  }
  return isLocalIn(mounts, directory);
}

/** @param mounts the contents of /proc/self/mountinfo */
export function isLocalIn(mounts: string, directory: string): boolean {
  let nearest = '';
  let type = '';
  for (const { point, type: pointType } of mountsIn(mounts)) {
    if (point !== directory && isWithin(point, directory) && !local.has(pointType)) return false;
    // Of several file systems mounted at one place, the last is on top.
    if (isWithin(directory, point) && point.length >= nearest.length) [nearest, type] = [point, pointType];
  }
  return local.has(type);
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
