import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../../src/operations.js';
import { PendingCall } from '../../src/pool/pending-call.js';
import { Shard } from '../../src/pool/shard.js';
import { Shards } from '../../src/pool/shards.js';

const keys = Array.from({ length: 1000 }, (_, index) => `${String(index)}.txt`);

/** None of them starts a thread. */
function idleShard(): Shard {
  return new Shard(() => Promise.reject(new Error('nothing is run')), { sent: () => undefined, died: () => undefined });
}

function pending(): PendingCall {
  const operation = operations.get('edit_file') ?? assert.fail();
  return new PendingCall(operation, { name: 'a.txt', append: 'x', create_if_missing: false }, { requestId: '' }, 100);
}

function shardsOf(count: number): Shards {
  return new Shards([idleShard(), ...Array.from({ length: count - 1 }, idleShard)]);
}

describe('the thread of a call', () => {
  it('is the same for all writes of a file', () => {
    const shards = shardsOf(4);
    for (const key of keys) assert.equal(shards.writerOf(key), shards.writerOf(key));
  });

  it('is another for a write if that has answered nothing for a while, and none of them if all have not', async () => {
    const working = (): Shard =>
      new Shard(() => new Promise(() => undefined), { sent: () => undefined, died: () => undefined });
    const shards = new Shards([working(), ...Array.from({ length: 8 }, working)]);
    const usual = new Map(keys.map((key) => [key, shards.writerOf(key)]));
    const writers = [...new Set(usual.values())];
    for (const [index, writer] of writers.entries()) {
      void writer.run([pending()]);
      await sleep(150);
      assert.ok(writer.isSilent);
      const silent = writers.slice(0, index + 1);
      const isLast = silent.length === writers.length;
      for (const key of keys) {
        const chosen = shards.writerOf(key);
        if (isLast || !silent.some((each) => each === usual.get(key))) assert.equal(chosen, usual.get(key));
        else assert.ok(!silent.includes(chosen));
      }
    }
  });

  it('is never that of the listings, as long as there is another', () => {
    for (const count of [2, 3, 4, 64]) {
      const shards = shardsOf(count);
      for (const shard of shards.all) {
        shard.writes = shard === shards.lister ? 0 : 1;
        shard.running = shard.writes;
      }
      assert.notEqual(shards.reader(), shards.lister, `${String(count)} threads, of which all others write`);
      assert.ok(keys.every((key) => shards.writerOf(key) !== shards.lister));
    }
  });

  it('is the only one there is', () => {
    const shards = shardsOf(1);
    for (const shard of [shards.lister, shards.reader(), shards.writerOf('a.txt')]) assert.equal(shard, shards.all[0]);
  });

  it('is for a read one that does not write, and of those the least busy', () => {
    const shards = shardsOf(4);
    const first = shards.reader();
    first.writes = 1;
    first.running = 1;
    const second = shards.reader();
    assert.notEqual(second, first);
    second.running = 2;
    second.writes = 2;
    assert.notEqual(shards.reader(), second);
  });
});
