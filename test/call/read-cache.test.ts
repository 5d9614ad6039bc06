import assert from 'node:assert/strict';
import { chmodSync, linkSync, lstatSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Success } from '../../src/core/errors.js';
import { identityOf } from '../../src/core/file-identity.js';
import { ReadCache } from '../../src/call/read-cache.js';
import { withDirectory } from '../directory.js';

const key = 'read_file ["a.txt"]';
const megabyte = 1_048_576;

/** An answer of the given size to a read of the current file. */
function answerTo(directory: string, name = 'a.txt', bytes = 10): Success {
  const identity = identityOf(lstatSync(join(directory, name), { bigint: true }));
  return { ok: true, result: {}, json: Buffer.alloc(bytes), identity };
}

/** A cache that holds the answer to a read of a.txt. */
function withKept(use: (cache: ReadCache, directory: string, answer: Success) => void): Promise<void> {
  return withDirectory({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, (directory) => {
    const cache = new ReadCache(directory, megabyte);
    const answer = cache.keep(key, 'a.txt', answerTo(directory));
    try {
      use(cache, directory, answer);
    } finally {
      cache.close();
    }
  });
}

describe('the read cache', () => {
  it('answers again while the file is unchanged', () =>
    withKept((cache, _directory, answer) => {
      assert.equal(cache.find(key), answer);
      assert.equal(cache.find(key), answer);
      assert.equal(cache.find('read_file ["a.txt",1]'), undefined);
    }));

  it('does not retain memory that an answer shares with others', () =>
    withKept((cache, directory) => {
      const shared = Buffer.alloc(10_000, 'x');
      const json = shared.subarray(100, 110);
      cache.keep('other', 'a.txt', {
        ...answerTo(directory),
        json,
        result: { content: json.subarray(2, 5), lines: 1 },
      });
      const kept = cache.find('other');
      assert.equal(kept?.json?.buffer.byteLength, 10);
      const { content, ...rest } = kept.result;
      assert.ok(content instanceof Uint8Array);
      assert.equal(content.buffer, kept.json.buffer);
      assert.deepEqual([content.byteOffset, content.byteLength, rest], [2, 3, { lines: 1 }]);
    }));

  const changes: Record<string, (path: string, directory: string) => void> = {
    'written in place with the same size': (path) => {
      writeFileSync(path, 'two\n');
    },
    'given other times': (path) => {
      utimesSync(path, 1, 1);
    },
    'given other rights': (path) => {
      chmodSync(path, 0o600);
    },
    replaced: (path, directory) => {
      renameSync(join(directory, 'b.txt'), path);
    },
    removed: (path) => {
      rmSync(path);
    },
    'replaced by a link to itself': (path, directory) => {
      linkSync(path, join(directory, 'c.txt'));
      rmSync(path);
      symlinkSync('c.txt', path);
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`drops the answer when the file was ${what}`, () =>
      withKept((cache, directory) => {
        change(join(directory, 'a.txt'), directory);
        assert.equal(cache.find(key), undefined);
      }));
  }

  it('drops the answer when the directory no longer is one', () =>
    withDirectory({ 'folder/a.txt': 'one\n' }, (directory) => {
      const folder = join(directory, 'folder');
      const cache = new ReadCache(folder, megabyte);
      cache.keep(key, 'a.txt', answerTo(folder));
      rmSync(folder, { recursive: true });
      writeFileSync(folder, '');
      assert.equal(cache.find(key), undefined);
      cache.close();
    }));

  it('stores nothing that could not be checked, and nothing that produced a notice', () =>
    withKept((cache, _directory, { identity, ...unchecked }) => {
      cache.keep('unchecked', 'a.txt', unchecked);
      assert.equal(cache.find('unchecked'), undefined);
      assert.ok(identity);
      cache.keep('noticed', 'a.txt', { ...unchecked, identity, notices: [{ message: 'odd' }] });
      assert.equal(cache.find('noticed'), undefined);
    }));

  it('stores nothing with a limit of 0', () =>
    withDirectory({ 'a.txt': 'one\n' }, (directory) => {
      const cache = new ReadCache(directory, 0);
      cache.keep(key, 'a.txt', answerTo(directory));
      assert.equal(cache.find(key), undefined);
    }));

  it('evicts the oldest answers beyond its limit, but not those in use', () =>
    withKept((cache, directory) => {
      const quarter = answerTo(directory, 'a.txt', megabyte / 4);
      for (let index = 0; index < 20; index++) {
        cache.keep(`large ${String(index)}`, 'a.txt', quarter);
        assert.ok(cache.find(key), 'the one that is asked for stays');
      }
      const left = Array.from({ length: 20 }, (_, index) => cache.find(`large ${String(index)}`)).filter(Boolean);
      assert.equal(left.length, 3);
      assert.ok(cache.find('large 19'));
      assert.equal(cache.find('large 0'), undefined);
    }));

  it('stores no answer larger than the whole cache', () =>
    withKept((cache, directory, answer) => {
      cache.keep('huge', 'a.txt', answerTo(directory, 'a.txt', megabyte));
      assert.equal(cache.find('huge'), undefined);
      assert.equal(cache.find(key), answer, 'and drops nothing for it');
    }));

  it('replaces an answer without counting it twice', () =>
    withKept((cache, directory) => {
      for (let times = 0; times < 20; times++) cache.keep('a', 'a.txt', answerTo(directory, 'a.txt', megabyte / 4));
      assert.ok(cache.find(key), 'nothing had to be dropped');
    }));

  it('can be cleared', () =>
    withKept((cache, _directory, answer) => {
      cache.clear();
      assert.equal(cache.find(key), undefined);
      assert.equal(cache.bytes, 0);
      const again = cache.keep(key, 'a.txt', answer);
      assert.equal(cache.find(key), again);
    }));

  it('stores nothing once closed', () =>
    withKept((cache, _directory, answer) => {
      cache.close();
      assert.equal(cache.find(key), undefined);
      cache.keep(key, 'a.txt', answer);
      assert.equal(cache.find(key), undefined);
    }));
});
