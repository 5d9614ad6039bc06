import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { Directory } from '../../workers/disk/paths/anchor.js';
import { Glob } from '../../src/core/globs/glob.js';
import { platform } from '../../src/core/platform.js';
import { Walk } from '../../workers/search/walk.js';
import { withDirectory } from '../directory.js';
import { before, failing, mend } from '../faults.js';
import { needs } from '../needs.js';
import { workspaceOf } from '../workspace.js';
import { found } from './found.js';

const all = { pattern: '**' };

// No name ends in a point there.
const withPoint = platform.hasWindowsNames ? 'a.-' : 'a.';

describe('a walk', () => {
  it('has the files in the order of the code points of their whole paths', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc
            .array(fc.constantFrom('a', 'a-', withPoint, 'a0', 'b', 'ä', '\uff5e', '😀'), {
              minLength: 1,
              maxLength: 3,
            })
            .map((names) => names.map((each, index) => (index === names.length - 1 ? `${each}f` : each)).join('/')),
          { maxLength: 12 },
        ),
        (paths) =>
          withDirectory(Object.fromEntries(paths.map((path) => [path, ''])), (directory) => {
            const expected = paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
            assert.deepEqual(found(directory, all), expected);
          }),
      ),
      { numRuns: 100 },
    ));

  it('goes deeper than it may hold directories open, and back', () =>
    withDirectory({}, (directory) => {
      // Wine cannot tell real paths of more than 260 characters.
      const depth = platform.name === 'win32' ? 90 : 300;
      const expected: string[] = [];
      let at = directory;
      for (let level = 0; level < depth; level++) {
        at = join(at, 'd');
        mkdirSync(at);
        writeFileSync(join(at, 'z'), '');
        expected.unshift(`${'d/'.repeat(level + 1)}z`);
      }
      let most = 0;
      const open = (): number => readdirSync('/proc/self/fd').length;
      const atFirst = process.platform === 'linux' ? open() : 0;
      const paths = found(directory, all, () => {
        if (process.platform === 'linux') most = Math.max(most, open() - atFirst);
      });
      assert.deepEqual(paths, expected);
      assert.ok(most < 80, `${String(most)} descriptors`);
      if (process.platform === 'linux') assert.equal(open(), atFirst);
    }));

  it('leaves out a directory that vanishes before it is opened', () =>
    withDirectory({ 'a/x': '', 'b/x': '', 'c/x': '' }, (directory) => {
      const paths = found(directory, all, () => {
        rmSync(join(directory, 'b'), { recursive: true, force: true });
      });
      assert.deepEqual(paths, ['a/x', 'c/x']);
    }));

  it('does not follow a link that takes the place of a directory', { skip: needs.links }, () =>
    withDirectory({ 'a/x': '', 'b/x': '', 'c/x': '' }, (directory) =>
      withDirectory({ secret: '' }, (outside) => {
        const paths = found(directory, all, () => {
          if (existsSync(join(directory, 'b', 'x'))) renameSync(join(directory, 'b'), join(directory, 'moved'));
          if (!existsSync(join(directory, 'b'))) symlinkSync(outside, join(directory, 'b'));
        });
        assert.deepEqual(paths, ['a/x', 'c/x']);
      }),
    ),
  );

  it('does not follow a link in place of a directory that it has closed meanwhile', { skip: needs.links }, () =>
    withDirectory({}, (directory) =>
      withDirectory({}, (outside) => {
        for (const top of [directory, outside]) {
          mkdirSync(join(top, 'a', 'd/'.repeat(100)), { recursive: true });
          writeFileSync(join(top, 'a', 'd/'.repeat(100), 'x'), '');
          for (const name of ['y', 'z']) mkdirSync(join(top, 'a', name));
          writeFileSync(join(top, 'a', 'z', top === outside ? 'secret' : 'inside'), '');
        }
        let steps = 0;
        const paths = found(directory, all, () => {
          // By then it is far below, and has closed the directory at the top.
          if (++steps !== 90) return;
          renameSync(join(directory, 'a'), join(directory, 'moved'));
          symlinkSync(join(outside, 'a'), join(directory, 'a'));
        });
        assert.ok(!paths.join().includes('secret'), paths.join());
      }),
    ),
  );

  for (const code of ['EACCES', 'ENOENT', 'EIO']) {
    it(`leaves out a directory that cannot be read (${code})`, () =>
      withDirectory({ 'a/x': '', 'bad/x': '', 'c/x': '' }, (directory) => {
        let isIn = false;
        before('openSync', (path) => {
          isIn = basename(String(path)) === 'bad';
        });
        failing('readdirSync', code, () => isIn);
        assert.deepEqual(found(directory, all), ['a/x', 'c/x']);
      }));
  }

  it('ends when descriptors run out, which says nothing about a directory', () =>
    withDirectory({ 'a/x': '' }, (directory) => {
      failing('openSync', 'EMFILE', (path) => basename(String(path)) === 'a');
      assert.throws(() => found(directory, all), { code: 'EMFILE' });
    }));

  it('asks for the kind of each name if the file system does not record it', { skip: needs.links }, () =>
    withDirectory({ 'a/é/x': '', 'a/y': '' }, (directory) => {
      symlinkSync('a', join(directory, 'link'));
      failing('readdirSync', 'ENOENT', (_path, options) => JSON.stringify(options).includes('withFileTypes'));
      const paths = found(directory, all);
      mend();
      assert.deepEqual(paths, ['a/y', 'a/é/x']);
    }),
  );

  it('can be divided at few of the names ahead, from the next one on', () =>
    withDirectory(
      Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`d/${String(1000 + index)}`, ''])),
      (directory) => {
        const workspace = workspaceOf(directory);
        workspace.root.refresh();
        const start = Directory.root(workspace.root);
        const glob = Glob.parse('pattern', '**', false);
        const walk = new Walk(workspace.root, start, { glob, ignored: false });
        for (const file of walk.files()) if (file?.name === '1009') break;
        const { from, divisions = [] } = walk.rest() ?? {};
        start.close();
        workspace.close();
        assert.deepEqual([from, divisions[0]], ['d/1010', 'd/1010']);
        assert.ok(divisions.length > 100 && divisions.length <= 192, String(divisions.length));
        assert.deepEqual(divisions, [...new Set(divisions)].sort());
        assert.ok((divisions.at(-1) ?? '') > 'd/1890');
      },
    ));

  it('pauses after each name, since the pattern may take a while for it', () =>
    withDirectory(
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x${String(index)}`, ''])),
      (directory) => {
        let steps = 0;
        assert.deepEqual(
          found(directory, { pattern: '{y,*.ts}' }, () => {
            steps += 1;
          }),
          [],
        );
        assert.ok(steps >= 50, String(steps));
      },
    ));

  it('visits no directory that can hold no match', () =>
    withDirectory({ 'src/a/x.ts': '', 'src/x.ts': '', 'other/deep/x.ts': '' }, (directory) => {
      const opened: string[] = [];
      before('openSync', (path) => {
        opened.push(basename(String(path)));
      });
      assert.deepEqual(found(directory, { pattern: 'src/*.ts' }), ['src/x.ts']);
      assert.deepEqual(
        opened.filter((name) => ['a', 'other', 'deep'].includes(name)),
        [],
      );
    }));
});
