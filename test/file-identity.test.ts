import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf, isYoung, sameIdentity, type FileIdentity } from '../src/file-identity.js';

const now = 1_700_000_000_123;
const nowNs = BigInt(now) * 1_000_000n;
const ms = 1_000_000n;

function stamped(mtimeNs: bigint, ctimeNs = mtimeNs): FileIdentity {
  return { dev: 1n, ino: 2n, size: 3n, mtimeNs, ctimeNs };
}

describe('the identity of a file', () => {
  for (const member of ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const) {
    it(`is another one if its ${member} is`, () => {
      const file = stamped(5n);
      assert.equal(sameIdentity(file, { ...file }), true);
      assert.equal(sameIdentity(file, { ...file, [member]: file[member] + 1n }), false);
    });
  }

  it('is exact beyond 2^53', () => {
    const file = { ...stamped(5n), ino: 2n ** 63n };
    assert.equal(sameIdentity(file, { ...file, ino: 2n ** 63n + 1n }), false);
  });

  it('takes nothing else along from what stat tells', () => {
    const file = stamped(5n);
    assert.deepEqual(identityOf({ ...file, ...{ nlink: 1n } }), file);
  });
});

describe('time stamps', () => {
  it('are young for 100 ms', () => {
    assert.equal(isYoung(stamped(nowNs - 99n * ms), now), true);
    assert.equal(isYoung(stamped(nowNs - 101n * ms), now), false);
  });

  it('are young if only one of them is', () => {
    const old = nowNs - 10_000n * ms;
    assert.equal(isYoung(stamped(old, nowNs - 5n * ms), now), true);
    assert.equal(isYoung(stamped(nowNs - 5n * ms, old), now), true);
  });

  it('in whole seconds are young for 2.1 s: the file system may know no fractions', () => {
    const second = 1_700_000_000_000_000_000n;
    assert.equal(isYoung(stamped(second), 1_700_000_002_050), true);
    assert.equal(isYoung(stamped(second), 1_700_000_002_150), false);
    assert.equal(isYoung(stamped(second + 1n), 1_700_000_002_050), false);
  });

  it('in the future are young: the clocks differ', () => {
    assert.equal(isYoung(stamped(nowNs + 3_600_000n * ms), now), true);
  });
});
