import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withDirectory } from '../directory.js';

/** Lend a small disk of its own, in memory: 512 kB, 64 inodes. */
export async function withDisk(use: (disk: string) => Promise<void>): Promise<void> {
  await withDirectory({}, async (directory) => {
    const disk = join(directory, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k,nr_inodes=64', 'tmpfs', disk]);
    try {
      await use(disk);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });
}

/** Only root may mount, and not in every container. */
export function cannotMount(): string | false {
  if (process.platform !== 'linux') return 'needs tmpfs';
  try {
    // In a mount namespace of its own, which ends with it.
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'this user may not mount a file system';
  }
}
