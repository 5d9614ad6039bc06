import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { filenameKey, orderKeys, pathKey } from '../../src/pool/order-key.js';
import { rows } from '../../src/core/operations.js';
import { PendingCall } from '../../src/pool/pending-call.js';
import { FileQueues } from '../../src/pool/queues.js';
import { withDirectory } from '../directory.js';
import { needs } from '../needs.js';

describe('the key by which writes of a file are ordered', () => {
  it('is the same for all spellings of a path, and that of the flat name', () =>
    withDirectory({ 'sub/a.txt': '', 'b.txt': '' }, (directory) => {
      for (const path of [
        'sub/a.txt',
        'sub\\a.txt',
        './sub//a.txt',
        'sub/../sub/a.txt',
        'sub/a.txt/',
        'SUB/../sub/A.TXT',
      ]) {
        assert.equal(pathKey(directory, path), 'sub/a.txt', path);
      }
      for (const name of ['b.txt', 'B.txt', 'new.txt', 'caf\u00e9.txt']) {
        assert.equal(pathKey(directory, name), filenameKey(directory, name));
      }
    }));

  it('is the same for both forms of an accent, which some file systems treat as one name', () =>
    withDirectory({}, (directory) => {
      assert.equal(filenameKey(directory, 'cafe\u0301.txt'), filenameKey(directory, 'caf\u00e9.txt'));
    }));

  it('is the same for all links to a file, or to a directory on the way', { skip: needs.links }, () =>
    withDirectory({ 'sub/a.txt': '' }, (directory) => {
      symlinkSync('sub', join(directory, 'way'));
      symlinkSync('sub/a.txt', join(directory, 'link'));
      assert.equal(filenameKey(directory, 'link'), 'sub/a.txt');
      for (const path of ['link', 'way/a.txt', 'way/../link'])
        assert.equal(pathKey(directory, path), 'sub/a.txt', path);
      assert.equal(pathKey(directory, 'way/new.txt'), 'sub/new.txt');
    }),
  );

  it('is the same for everything deeper than is looked up, under any name', { skip: needs.links }, () =>
    withDirectory({}, (directory) => {
      const deep = `${'n/'.repeat(70)}f.txt`;
      mkdirSync(join(directory, dirname(deep)), { recursive: true });
      symlinkSync('n', join(directory, 'q'));
      symlinkSync(deep, join(directory, 'link'));
      const keys = [deep, `q${deep.slice(1)}`, 'link'].map((path) => pathKey(directory, path));
      assert.deepEqual(keys, [keys[0], keys[0], keys[0]]);
      assert.equal(filenameKey(directory, 'link'), keys[0]);
      assert.equal(pathKey(directory, `${'n/'.repeat(63)}f.txt`), `${'n/'.repeat(63)}f.txt`);
    }),
  );

  it('is that of the target even if it is missing, since an earlier call may create it', { skip: needs.links }, () =>
    withDirectory({}, (directory) => {
      symlinkSync('f.txt', join(directory, 'link'));
      symlinkSync('link', join(directory, 'twice'));
      symlinkSync('new', join(directory, 'way'));
      for (const name of ['link', 'twice']) {
        assert.equal(filenameKey(directory, name), 'f.txt');
        assert.equal(pathKey(directory, name), 'f.txt');
      }
      assert.equal(pathKey(directory, 'way/sub/a.txt'), 'new/sub/a.txt');
      assert.equal(pathKey(directory, 'new/sub/a.txt'), 'new/sub/a.txt');
    }),
  );

  it('is that of the file being moved to a name, whether or not its placeholder is seen', { skip: needs.links }, () =>
    withDirectory({}, (directory) => {
      symlinkSync('.file-editor/moving/here', join(directory, 'f.txt'));
      symlinkSync('f.txt', join(directory, 'link'));
      for (const name of ['f.txt', 'link']) {
        assert.equal(filenameKey(directory, name), 'f.txt');
        assert.equal(pathKey(directory, name), 'f.txt');
      }
    }),
  );

  it('is the same for a missing file in a missing directory', () =>
    withDirectory({}, (directory) => {
      assert.equal(pathKey(directory, 'no/such/a.txt'), 'no/such/a.txt');
      mkdirSync(join(directory, 'no/such'), { recursive: true });
      assert.equal(pathKey(directory, 'no/such/a.txt'), 'no/such/a.txt');
    }));

  it('is one for each file of a call, and never none, also for paths that will be refused', { skip: needs.links }, () =>
    withDirectory({ 'sub/a.txt': '' }, (directory) => {
      symlinkSync('sub/a.txt', join(directory, 'link'));
      const keysOf = (paths: readonly string[]): readonly string[] => {
        const changes = paths.map((path) => ({ path, delete: true }));
        const call = new PendingCall(rows.apply_changes, { changes }, {}, 60_000);
        call.settle({ ok: true, result: {} });
        return orderKeys(call, new FileQueues(() => Promise.resolve([])), directory);
      };
      assert.deepEqual(keysOf(['sub/a.txt', './sub/a.txt', 'link', 'new.txt']), ['sub/a.txt', 'new.txt']);
      const globs = new PendingCall(rows.apply_changes, { changes: [{ glob: '*', edits: [] }] }, {}, 60_000);
      globs.settle({ ok: true, result: {} });
      const keys = orderKeys(globs, new FileQueues(() => Promise.resolve([])), directory);
      assert.equal(keys.length, 1, 'one that names no file is a write, too');
      const refused = ['/etc/passwd', '../a', 'a\0b', '', 'x'.repeat(300), 'a/'.repeat(3_000), 'y'.repeat(5_000_000)];
      for (const path of refused) assert.equal(keysOf([path]).length, 1, path.slice(0, 20));
    }),
  );

  it('exists even if nothing can be resolved', { skip: needs.links }, () =>
    withDirectory({}, (directory) => {
      symlinkSync('loop', join(directory, 'loop'));
      assert.equal(filenameKey(directory, 'loop'), 'loop');
      assert.equal(pathKey(directory, 'loop/a'), 'loop/a');
      assert.equal(pathKey(directory, ''), '');
    }),
  );
});
