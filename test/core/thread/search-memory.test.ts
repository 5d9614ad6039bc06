import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import type { FileIdentity } from '../../../src/core/file-identity.js';
import { columns, SearchMemory } from '../../../src/core/thread/search-memory.js';

const identity = (ino: bigint, mtimeNs = 1n): FileIdentity => ({ dev: 1n, ino, size: 2n, mtimeNs, ctimeNs: mtimeNs });

const identities = fc
  .tuple(fc.bigInt(0n, 40n), fc.bigInt(-(2n ** 62n), 2n ** 62n))
  .map(([ino, mtimeNs]) => identity(ino * 2n ** 31n, mtimeNs));

describe('what searches have learned', () => {
  it('is about one version of a file, and one search', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(identities, fc.nat(columns - 1), fc.nat(2 ** 31 - 2))), (facts) => {
        const memory = new SearchMemory(new SharedArrayBuffer(65_536));
        const expected = new Map<string, number>();
        for (const [each, column, count] of facts) {
          const record = memory.find(each) ?? memory.add(each);
          assert.ok(record !== undefined);
          memory.setCount(record, column, count);
          expected.set(`${String(each.ino)} ${String(each.mtimeNs)} ${String(column)}`, count);
        }
        for (const [each] of facts) {
          const record = memory.find(each);
          assert.ok(record !== undefined);
          for (let column = 0; column < columns; column++) {
            const key = `${String(each.ino)} ${String(each.mtimeNs)} ${String(column)}`;
            assert.equal(memory.countIn(record, column), expected.get(key));
          }
          assert.equal(memory.find({ ...each, size: 3n }), undefined);
        }
      }),
    );
  });

  it('is shared by all who have the memory', () => {
    const shared = new SharedArrayBuffer(65_536);
    const [one, other] = [new SearchMemory(shared), new SearchMemory(shared)];
    assert.ok(one.isEmpty && other.isEmpty);
    one.setCount(one.add(identity(7n)) ?? 0, 1, 3);
    const record = other.find(identity(7n)) ?? 0;
    assert.equal(other.countIn(record, 1), 3);
    assert.equal(other.countIn(record, 0), undefined);
    other.setCount(record, 2, 'binary');
    assert.equal(one.countIn(record, 0), 'binary');
  });

  it('is forgotten with its search, except that a file is no text', () => {
    const memory = new SearchMemory(new SharedArrayBuffer(65_536));
    const text = memory.add(identity(1n)) ?? 0;
    const bytes = memory.add(identity(2n)) ?? 0;
    memory.setCount(text, 0, 5);
    memory.setCount(text, 1, 6);
    memory.setCount(bytes, 0, 'binary');
    memory.clear(0);
    assert.deepEqual([memory.countIn(text, 0), memory.countIn(text, 1)], [undefined, 6]);
    assert.equal(memory.countIn(bytes, 0), 'binary');
  });

  it('takes no more than its memory, and says when that is full', () => {
    const memory = new SearchMemory(new SharedArrayBuffer(65_536));
    let kept = 0;
    for (let ino = 0n; ino < 2_000n; ino++) if (memory.add(identity(ino)) !== undefined) kept += 1;
    assert.ok(kept > 400 && kept < 1_024, String(kept));
    assert.ok(memory.isFull);
    assert.equal(memory.find(identity(1_999n)), undefined);
    assert.ok(memory.find(identity(BigInt(kept - 1))) !== undefined);
  });
});
