import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLocalIn } from '../../src/pool/local-files.js';
import { needs } from '../needs.js';

/** A table of mounts as Linux shows it. */
function table(...mounts: readonly (readonly [point: string, type: string])[]): string {
  const lines = mounts.map(
    ([point, type], index) =>
      `${String(20 + index)} 1 0:${String(index)} / ${point} rw,relatime shared:1 - ${type} x rw`,
  );
  return `${lines.join('\n')}\n`;
}

describe('a directory', { skip: needs.posixPaths }, () => {
  const cases: readonly (readonly [string, boolean, string, string])[] = [
    ['on a local file system is local', true, table(['/', 'ext4']), '/work'],
    ['at its root is local', true, table(['/', 'ext4'], ['/work', 'xfs']), '/work'],
    ['on a network file system is not', false, table(['/', 'ext4'], ['/work', 'nfs4']), '/work/project'],
    ['on the file system of a program is not', false, table(['/', 'ext4'], ['/work', 'fuse.sshfs']), '/work'],
    ['with another file system below it is not', false, table(['/', 'ext4'], ['/work/far', 'cifs']), '/work'],
    ['with a local one below it is local', true, table(['/', 'ext4'], ['/work/near', 'tmpfs']), '/work'],
    ['beside a network file system is local', true, table(['/', 'ext4'], ['/work-far', 'nfs']), '/work'],
    ['covered by a second mount is what that is', false, table(['/', 'ext4'], ['/w', 'ext4'], ['/w', 'nfs']), '/w'],
    ['whose name has a space is found', false, table(['/', 'ext4'], ['/my\\040work', 'nfs']), '/my work'],
    ['that no mount contains is not local', false, '', '/work'],
    ['at the root of everything counts all mounts', false, table(['/', 'ext4'], ['/mnt', 'autofs']), '/'],
  ];
  for (const [what, expected, mounts, directory] of cases) {
    it(what, () => {
      assert.equal(isLocalIn(mounts, directory), expected);
    });
  }
});
