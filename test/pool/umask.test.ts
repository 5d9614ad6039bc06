import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { readUmask } from '../../src/pool/threads.js';
import { failing } from '../faults.js';
import { needs } from '../needs.js';

describe('the umask of the process', () => {
  it('is read correctly, and unchanged afterwards', { skip: needs.modes }, () => {
    const before = process.umask(0o027);
    try {
      assert.equal(readUmask(), 0o027);
      assert.equal(execFileSync('sh', ['-c', 'umask'], { encoding: 'utf8' }).trim(), '0027');
    } finally {
      process.umask(before);
    }
  });

  it('is read even if the system does not report it', { skip: process.platform !== 'linux' }, () => {
    const before = process.umask(0o027);
    try {
      failing('readFileSync', 'ENOENT');
      assert.equal(readUmask(), 0o027);
    } finally {
      assert.equal(process.umask(before), 0o027);
    }
  });
});
