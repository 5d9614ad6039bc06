import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errnoOf, isSystemError, retrying, retryingOneOfMany } from '../../workers/disk/system-error.js';

const systemError = (code: string, errno?: number): Error =>
  Object.assign(new Error(code), errno === undefined ? { code } : { code, errno });

describe('an error of a system call', () => {
  it('is recognized by name, from Node and from native code', () => {
    assert.equal(errnoOf(systemError('ENOSPC', -28)), 'ENOSPC');
    assert.equal(errnoOf(systemError('EAGAIN')), 'EAGAIN');
  });

  it('gets a name that libuv lacks', { skip: process.platform !== 'linux' && 'numbers of Linux' }, () => {
    assert.equal(errnoOf(systemError('Unknown system error -116', -116)), 'ESTALE');
    assert.equal(errnoOf(systemError('Unknown system error -122', -122)), 'EDQUOT');
    // From a write in Node 20.
    assert.equal(errnoOf(systemError('UNKNOWN', -122)), 'EDQUOT');
    // From libuv itself, on Windows.
    assert.equal(errnoOf(systemError('UNKNOWN', -4094)), 'EUNKNOWN');
    // From the native library that locks files.
    assert.equal(errnoOf(systemError('Unknown system error -37')), 'ENOLCK');
    assert.equal(errnoOf(systemError('Unknown system error -9999', -9999)), 'E9999');
  });

  it('is not assumed for a bug in the program', () => {
    assert.equal(isSystemError(systemError('ERR_INVALID_ARG_TYPE')), false);
    assert.equal(isSystemError(new Error('no code')), false);
    assert.equal(errnoOf('text'), undefined);
  });
});

describe('a call that fails transiently', () => {
  it('is retried', () => {
    const errors = [systemError('EBUSY', -16), systemError('Unknown system error -116', -116)];
    const result = retrying(() => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return 'done';
    });
    assert.equal(result, 'done');
  });

  it('is given up after eight attempts, and immediately for other errors', () => {
    for (const [code, attempts] of [
      ['EBUSY', 8],
      ['EACCES', 1],
    ] as const) {
      let made = 0;
      assert.throws(() =>
        retrying(() => {
          made++;
          throw systemError(code, -1);
        }),
      );
      assert.equal(made, attempts, code);
    }
  });

  it('knows that it is a retry, since the first attempt may have succeeded', () => {
    const attempts: boolean[] = [];
    retrying((again) => {
      attempts.push(again);
      if (attempts.length < 3) throw systemError('EINTR', -4);
    });
    assert.deepEqual(attempts, [false, true, true]);
  });

  it('is waited for once if many such calls fail permanently', () => {
    let made = 0;
    const fail = (): void => {
      made++;
      throw systemError('ESTALE', -116);
    };
    assert.throws(() => retryingOneOfMany(fail));
    assert.equal(made, 8);
    for (let index = 0; index < 100; index++) assert.throws(() => retryingOneOfMany(fail));
    assert.equal(made, 8 + 2 * 100);
    // A call that an operation makes only once is always waited for.
    assert.throws(() => retrying(fail));
    assert.equal(made, 8 + 2 * 100 + 8);
  });
});
