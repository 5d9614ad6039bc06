import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rows } from '../../src/core/operations.js';
import { PendingCall } from '../../src/pool/pending-call.js';
import { Shard } from '../../src/pool/shard.js';
import { Shards } from '../../src/pool/threads.js';

const keys = Array.from({ length: 1000 }, (_, index) => `${String(index)}.txt`);

/** None of them starts a thread. */
function idleShard(): Shard {
  return new Shard(() => Promise.reject(new Error('nothing is run')), {
    sent: () => undefined,
    noted: () => undefined,
  });
}

function pending(): PendingCall {
  const operation = rows.edit_file;
  return new PendingCall(operation, { name: 'a.txt', append: 'x', create_if_missing: false }, {}, 100);
}

function shardsOf(count: number): Shards {
  return new Shards(count, idleShard);
}

describe('the thread of a call', () => {
  it('is the same for all writes of a file', () => {
    const shards = shardsOf(4);
    for (const key of keys) assert.equal(shards.writerOf(key), shards.writerOf(key));
  });

  it('changes if that one has not answered for a while, and is the usual one if none has', async () => {
    const working = (): Shard =>
      new Shard(() => new Promise(() => undefined), {
        sent: () => undefined,
        noted: () => undefined,
      });
    const shards = new Shards(9, working);
    const usual = new Map(keys.map((key) => [key, shards.writerOf(key)]));
    const reader = shards.reader();
    const others = shards.all.filter((shard) => shard !== shards.lister);
    const silent = new Set<Shard>();
    for (const shard of new Set([reader, ...usual.values(), ...others])) {
      void shard.run([pending()]);
      await sleep(150);
      assert.ok(shard.isSilent);
      silent.add(shard);
      const all = silent.size === others.length;
      for (const [key, before] of usual) {
        const chosen = shards.writerOf(key);
        if (all || !silent.has(before)) assert.equal(chosen, before);
        else assert.ok(others.includes(chosen) && !silent.has(chosen));
      }
      assert.ok(others.includes(shards.reader()) && (all || !silent.has(shards.reader())));
    }
  });

  it('is never the listing thread, as long as there is another', () => {
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

  it('only lists if there is another thread', () => {
    for (const [count, expected] of [
      [1, [false]],
      [2, [false, true]],
      [4, [false, false, false, true]],
    ] as const) {
      const made: boolean[] = [];
      const shards = new Shards(count, (onlyLists) => {
        made.push(onlyLists);
        return idleShard();
      });
      assert.deepEqual(made, expected);
      assert.equal(shards.lister, shards.all.at(-1));
    }
  });

  it('is the only one if there is one', () => {
    const shards = shardsOf(1);
    for (const shard of [shards.lister, shards.reader(), shards.writerOf('a.txt')]) assert.equal(shard, shards.all[0]);
  });

  it('is for a read the least busy one that does not write', () => {
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
