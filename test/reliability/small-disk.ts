import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withDirectory } from '../directory.js';

/** Lend a small in-memory disk. @param size as tmpfs takes it; 512 kB and 64 inodes by default */
export async function withDisk(use: (disk: string) => Promise<void>, size = 'size=512k,nr_inodes=64'): Promise<void> {
  await withDirectory({}, async (directory) => {
    const disk = join(directory, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', disk]);
    try {
      await use(disk);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });
}

/** Why this process may not mount: only root may, and not in every container. */
export function cannotMount(): string | false {
  if (process.platform !== 'linux') return 'needs tmpfs';
  try {
    // In a private mount namespace, which ends with the process.
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'this user may not mount a file system';
  }
}
