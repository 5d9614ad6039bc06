import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryFileLock } from '../../workers/disk/lock/lock.js';
import { Reserved } from '../../workers/disk/lock/reserved.js';
import { Root } from '../../workers/disk/paths/root.js';
import type { Suite } from './suite.js';

const directory = mkdtempSync(join(tmpdir(), 'file-editor-bench-'));
process.on('exit', () => {
  rmSync(directory, { recursive: true, force: true });
});
const root = new Root(directory);
root.refresh();
const reserved = new Reserved(root);
const stale = join(directory, 'naive.lock');

export const suites: readonly Suite[] = [
  {
    name: 'take and release the lock of a file',
    variants: {
      tryFileLock: () => tryFileLock(reserved, 'a.txt', [])?.release(),
      // The method of lock packages without native code; the lock outlives a killed process.
      'mkdir, rmdir': () => {
        mkdirSync(stale);
        rmdirSync(stale);
      },
    },
  },
];
