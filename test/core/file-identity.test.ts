import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf, isDoubtful, sameIdentity, type FileIdentity } from '../../src/core/file-identity.js';

const now = 1_700_000_000_123;
const nowNs = BigInt(now) * 1_000_000n;
const ms = 1_000_000n;

function stamped(mtimeNs: bigint, ctimeNs = mtimeNs): FileIdentity {
  return { dev: 1n, ino: 2n, size: 3n, mtimeNs, ctimeNs };
}

describe('the identity of a file', () => {
  for (const member of ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const) {
    it(`changes with its ${member}`, () => {
      const file = stamped(5n);
      assert.equal(sameIdentity(file, { ...file }), true);
      assert.equal(sameIdentity(file, { ...file, [member]: file[member] + 1n }), false);
    });
  }

  it('is exact beyond 2^53', () => {
    const file = { ...stamped(5n), ino: 2n ** 63n };
    assert.equal(sameIdentity(file, { ...file, ino: 2n ** 63n + 1n }), false);
  });

  it('includes nothing else from stat', () => {
    const file = stamped(5n);
    assert.deepEqual(identityOf({ ...file, ...{ nlink: 1n } }), file);
  });
});

describe('time stamps', () => {
  it('are doubtful for 100 ms', () => {
    assert.equal(isDoubtful(stamped(nowNs - 99n * ms), now), true);
    assert.equal(isDoubtful(stamped(nowNs - 101n * ms), now), false);
  });

  it('are doubtful if either of them is', () => {
    const old = nowNs - 10_000n * ms;
    assert.equal(isDoubtful(stamped(old, nowNs - 5n * ms), now), true);
    assert.equal(isDoubtful(stamped(nowNs - 5n * ms, old), now), true);
  });

  const second = 1_700_000_000_000_000_000n;

  it('are doubtful for 2.1 s if one is a whole second: a write may change only that one', () => {
    const old = second - 86_400_000_000_001n;
    for (const file of [stamped(second, old), stamped(old, second)]) {
      assert.equal(isDoubtful(file, 1_700_000_002_050), true);
      assert.equal(isDoubtful(file, 1_700_000_002_150), false);
    }
    assert.equal(isDoubtful(stamped(second + 1n, old), 1_700_000_002_050), false);
  });

  it('in whole seconds are always doubtful: the file system has no fractions, and may show them late', () => {
    assert.equal(isDoubtful(stamped(second), 1_800_000_000_000), true);
    assert.equal(isDoubtful(stamped(second, second - 86_400_000_000_000n), 1_800_000_000_000), true);
  });

  it('in the future are doubtful: the clocks differ', () => {
    assert.equal(isDoubtful(stamped(nowNs + 3_600_000n * ms), now), true);
  });
});
