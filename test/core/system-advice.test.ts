import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getSystemErrorMap } from 'node:util';
import { errorKinds, failure } from '../../src/core/errors.js';
import { notWritten } from '../../src/core/failures.js';
import { platform } from '../../src/core/platform.js';
import { describe as inWords } from '../../workers/disk/system-error.js';
import { assertNoRepetition } from '../operations/repetition.js';

describe('the advice on a system error', () => {
  const wanted: readonly [string, RegExp][] = [
    ['ENOSPC', /Free space on the disk/],
    ['EDQUOT', /quota/],
    ['EROFS', /Remount the file system read-write/],
    ['EBUSY', platform.openFilesAreHeld ? /Close the file in the other program/ : /mount its parent directory instead/],
    ['EXDEV', /serve the directory that contains it/],
    ['EMFILE', /ulimit -n/],
    ['ENFILE', /ulimit -n/],
  ];
  for (const [errno, advice] of wanted) {
    it(`names a remedy for ${errno} of a write`, () => {
      const { details } = failure('write_failed', 'Failed', { data: { errno } });
      assert.match(details, advice);
      assert.match(details, /^Nothing was (?:written|done|changed).*\.$/);
    });
  }

  it("repeats nothing from the system's own message", () => {
    for (const [number, [errno]] of getSystemErrorMap()) {
      const error = Object.assign(new Error(errno), { code: errno, errno: number });
      const message = notWritten(errno === 'EXDEV' ? "'a' is on another file system than --dir" : inWords(error));
      assertNoRepetition(message, failure('write_failed', message, { data: { errno } }).details);
    }
  });

  it('is about descriptors if a read lacks them', () => {
    assert.match(failure('read_failed', 'Failed', { data: { errno: 'EMFILE' } }).details, /ulimit -n/);
  });

  it('is that of the kind for other errors, without disk space', () => {
    for (const errno of ['EIO', 'ENOTDIR', 'constructor']) {
      const { details } = failure('write_failed', 'Failed', { data: { errno } });
      assert.equal(details, errorKinds.write_failed.advice);
      assert.doesNotMatch(details, /space/);
    }
  });

  const alike = platform.openFilesAreHeld && 'a file that another program has open cannot be read either';
  it('is that of the kind for a read of a busy file, which no mount explains', { skip: alike }, () => {
    const reading = failure('read_failed', 'Failed', { data: { errno: 'EBUSY' } });
    assert.equal(reading.details, errorKinds.read_failed.advice);
  });

  it('never replaces more specific details, nor the advice of other kinds', () => {
    assert.equal(failure('write_failed', 'Failed', { details: 'Mine.', data: { errno: 'EBUSY' } }).details, 'Mine.');
    const denied = failure('write_denied', 'Failed', { data: { errno: 'EROFS' } });
    assert.equal(denied.details, errorKinds.write_denied.advice);
  });
});

describe('the advice', () => {
  it('on another hash says that a repeated edit may already be in the file', () => {
    assert.match(
      failure('changed', "File 'x' has changed").details,
      /your edit may already be in the file: look first/,
    );
  });

  it('on a timeout names the flag', () => {
    assert.match(failure('timed_out', 'Operation timed out after 10s').details, /--timeout/);
  });
});
