/** Spec 15: suggested names in directories that are hostile, large or gone by the time of the search. */
import assert from 'node:assert/strict';
import fs, { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { withDirectory } from '../directory.js';
import { after, before, failing } from '../faults.js';
import { StorageScene } from './storage-scene.js';

/** The answer to a missing path. */
async function detailsOf(scene: StorageScene, path: string): Promise<string> {
  const outcome = await scene.call('view', { path });
  assert.ok(!outcome.ok, path);
  assert.deepEqual([outcome.kind, outcome.message], ['not_found', `File not found: ${path}`]);
  return outcome.details;
}

/** The suggested names. */
function offered(details: string): string[] {
  const [, question = ''] = /Did you mean (.*?)(?: in '.*')?\? /.exec(details) ?? [];
  return [...question.matchAll(/'([^']*)'/g)].map(([, name = '']) => JSON.parse(`"${name}"`) as string);
}

describe('names that were probably meant', () => {
  it('exist, are at most three, and always include one that differs only in case, form or spaces', () =>
    withDirectory({}, async (directory) => {
      const scene = new StorageScene(directory);
      const part = fc.constantFrom('a', 'B', 'é', 'e\u0301', ' ', '\u00a0', '1', '.');
      const name = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => `x${parts.join('')}y`);
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(name, { maxLength: 6 }), name, async (names, asked) => {
          for (const each of readdirSync(directory)) rmSync(join(directory, each));
          for (const each of names) writeFileSync(join(directory, each), '');
          fc.pre(!names.includes(asked));
          const meant = offered(await detailsOf(scene, asked));
          assert.ok(meant.length <= 3);
          for (const each of meant) assert.ok(names.includes(each), each);
          const bare = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('\u00a0', ' ');
          const equal = names.filter((each) => bare(each) === bare(asked));
          if (equal.length > 0) assert.ok(meant.every((each) => equal.includes(each)));
          assert.ok(meant.length >= Math.min(equal.length, 3));
        }),
        { numRuns: 150 },
      );
    }));

  it('are searched for among 10,000 names, and not one more', () =>
    withDirectory({ 'n/README.md': '' }, async (directory) => {
      const scene = new StorageScene(directory);
      for (let count = 1; count < 10_000; count++) writeFileSync(join(directory, `n/f${String(count)}.txt`), '');
      assert.deepEqual(offered(await detailsOf(scene, 'n/readme.md')), ['README.md']);
      writeFileSync(join(directory, 'n/one-more.txt'), '');
      assert.match(await detailsOf(scene, 'n/readme.md'), /^Check the path/);
    }));

  it('are current, even if a call has searched the directory before', () =>
    withDirectory({ 'README.md': '' }, async (directory) => {
      const scene = new StorageScene(directory);
      const longAgo = new Date(Date.now() - 60_000);
      const age = (): void => fs.utimesSync(directory, longAgo, longAgo);
      age();
      await new Promise((resolve) => setTimeout(resolve, 150));
      assert.deepEqual(offered(await detailsOf(scene, 'readme.md')), ['README.md']);
      assert.deepEqual(offered(await detailsOf(scene, 'readme.md')), ['README.md']);
      renameSync(join(directory, 'README.md'), join(directory, 'ReadMe.md'));
      age();
      assert.deepEqual(offered(await detailsOf(scene, 'readme.md')), ['ReadMe.md']);
    }));

  it('are never invalid UTF-8, which does not hide other names', () =>
    withDirectory({ 'README.md': '' }, async (directory) => {
      for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
        writeFileSync(Buffer.concat([Buffer.from(`${directory}/README.m`), Buffer.from(bytes)]), '');
      }
      assert.deepEqual(offered(await detailsOf(new StorageScene(directory), 'README.mm')), ['README.md']);
    }));

  it('are not offered if the directory may not be read', { skip: process.getuid?.() === 0 && 'root may' }, () =>
    withDirectory({ 'n/README.md': '' }, async (directory) => {
      chmodSync(join(directory, 'n'), 0o300);
      try {
        const details = await detailsOf(new StorageScene(directory), 'n/readme.md');
        assert.match(details, /^Check the path/);
      } finally {
        chmodSync(join(directory, 'n'), 0o700);
      }
    }),
  );

  it('never lead out, through any links', () =>
    withDirectory({ 'in/readme.txt': '', 'out/secret.txt': '' }, async (directory) => {
      const scene = new StorageScene(join(directory, 'in'));
      symlinkSync('../out/secret.txt', join(directory, 'in/README.md'));
      symlinkSync('../out', join(directory, 'in/README.m'));
      symlinkSync('.file-editor', join(directory, 'in/README.mk'));
      symlinkSync('README.my', join(directory, 'in/README.my'));
      symlinkSync('nowhere', join(directory, 'in/README.mn'));
      symlinkSync('readme.txt', join(directory, 'in/README.mi'));
      assert.deepEqual(offered(await detailsOf(scene, 'README.mx')), ['README.mi', 'readme.txt']);
      assert.deepEqual(offered(await detailsOf(scene, 'README.mx/a.txt')), []);
    }));

  it('are found even if most similar names cannot be used', () =>
    withDirectory({ 'zz1.txt': '' }, async (directory) => {
      for (let at = 0; at < 40; at++)
        symlinkSync('nowhere', join(directory, `z${String.fromCodePoint(0x4e00 + at)}.txt`));
      assert.deepEqual(offered(await detailsOf(new StorageScene(directory), 'zz.txt')), ['zz1.txt']);
    }));
});

describe('a directory that changes while it is searched', () => {
  const beside = (directory: string): string => `${directory}-beside`;
  const interferences: readonly (readonly [what: string, act: (directory: string) => void])[] = [
    [
      'is removed',
      (directory) => {
        rmSync(join(directory, 'n'), { recursive: true });
      },
    ],
    [
      'is emptied',
      (directory) => {
        rmSync(join(directory, 'n/README.md'));
      },
    ],
    [
      'becomes a link that leads outside',
      (directory) => {
        renameSync(join(directory, 'n'), join(directory, 'moved'));
        symlinkSync(beside(directory), join(directory, 'n'));
      },
    ],
  ];
  for (const [what, act] of interferences) {
    for (const step of ['opendirSync', 'readSync'] as const) {
      it(`${what} before ${step}: only names inside are offered, and nothing else fails`, () =>
        withDirectory({ 'n/README.md': '' }, async (directory) => {
          mkdirSync(beside(directory));
          try {
            writeFileSync(join(beside(directory), 'readme.mx'), '');
            let acted = false;
            (step === 'opendirSync' ? before : after)('opendirSync', () => {
              if (!acted) act(directory);
              acted = true;
            });
            const meant = offered(await detailsOf(new StorageScene(directory), 'n/readme.md'));
            assert.ok(
              meant.every((name) => name === 'README.md'),
              meant.join(),
            );
            assert.ok(acted);
          } finally {
            rmSync(beside(directory), { recursive: true });
          }
        }));
    }
  }

  for (const [call, errno] of [
    ['opendirSync', 'EMFILE'],
    ['opendirSync', 'EIO'],
    ['lstatSync', 'EIO'],
  ] as const) {
    it(`is still one without the name if ${call} fails with ${errno}`, () =>
      withDirectory({ 'README.md': '' }, async (directory) => {
        const scene = new StorageScene(directory);
        failing(call, errno, (...args) => call !== 'lstatSync' || /README\.md$/.test(String(args[0])));
        assert.match(await detailsOf(scene, 'readme.md'), /^Check the path/);
      }));
  }
});
