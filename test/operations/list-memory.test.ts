import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ListMemory, type ListedFile } from '../../workers/operations/list-memory.js';

const identity = { dev: 1n, ino: 2n, size: 3n, mtimeNs: 4n, ctimeNs: 5n };

function file(key: string, more: Partial<ListedFile> = {}): ListedFile {
  return { key, name: key, json: `{"name":"${key}"}`, identity, askedWritable: undefined, ...more };
}

/** A listing that visits these files. */
function list(memory: ListMemory, files: readonly ListedFile[], circumstances = ''): void {
  memory.begin(circumstances);
  for (const each of files) memory.keep(each);
  memory.end();
}

/** Which of these the next listing would know; it visits none. */
function known(memory: ListMemory, keys: readonly string[], circumstances = ''): string[] {
  memory.begin(circumstances);
  return keys.filter((key) => memory.find(key)?.key === key);
}

describe('the memory of listings', () => {
  it('knows the files of the last one, whatever others exist now', () => {
    const memory = new ListMemory();
    list(memory, [file('b'), file('d'), file('e')]);
    assert.deepEqual(known(memory, ['a', 'b', 'c', 'e', 'f']), ['b', 'e']);
  });

  it('forgets files that are no longer found', () => {
    const memory = new ListMemory();
    list(memory, [file('a'), file('b'), file('c')]);
    list(memory, [file('a'), file('c')]);
    assert.deepEqual(known(memory, ['a', 'b', 'c']), ['a', 'c']);
  });

  it('does not know files without an identity', () => {
    const memory = new ListMemory();
    list(memory, [file('a', { identity: undefined }), file('b')]);
    assert.deepEqual(known(memory, ['a', 'b']), ['b']);
  });

  it('knows nothing under other limits', () => {
    const memory = new ListMemory();
    list(memory, [file('a')], 'user 1');
    assert.deepEqual(known(memory, ['a'], 'user 2'), []);
  });

  it('keeps what it knew if a listing fails', () => {
    const memory = new ListMemory();
    list(memory, [file('a'), file('b')]);
    memory.begin('');
    memory.keep(file('a'));
    assert.deepEqual(known(memory, ['a', 'b']), ['a', 'b']);
  });

  it('keeps what a failed listing has seen, together with what it did not reach', () => {
    const memory = new ListMemory();
    list(memory, [file('a'), file('d')]);
    memory.begin('');
    for (const key of ['b', 'c']) memory.keep(file(key));
    assert.deepEqual(known(memory, ['a', 'b', 'c', 'd']), ['b', 'c', 'd']);
  });

  it('is bounded, and counts the texts', () => {
    const keys = Array.from({ length: 1000 }, (_, i) => String(i).padStart(4, '0'));
    const count = (limit: number, json: string): number => {
      const memory = new ListMemory(limit);
      // Twice: a repeated entry must not count twice.
      for (let i = 0; i < 2; i++)
        list(
          memory,
          keys.map((key) => file(key, { json })),
        );
      return known(memory, keys).length;
    };
    assert.equal(count(10_000_000, 'x'), 1000);
    const [short, long] = [count(100_000, 'x'), count(100_000, 'x'.repeat(1000))];
    assert.ok(short > 200 && short < 300, String(short));
    assert.ok(long > 60 && long < 100, String(long));
  });
});
