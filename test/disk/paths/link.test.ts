import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { resolveLink, type Resolved } from '../../../workers/disk/paths/link.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { withDirectory } from '../../directory.js';

/** The target of a link in one word: its path, or the problem. */
function led(directory: string, link: string): string {
  const root = new Root(directory);
  root.refresh();
  try {
    const { relative, problem, towards, errno }: Resolved = resolveLink(root, link);
    return [problem ?? relative, towards ?? [], errno ?? []].flat().join(' ');
  } finally {
    root.close();
  }
}

/** Two sibling directories, `served/` and `beside/`, with the contents of both. */
function withNeighbour(use: (served: string, beside: string) => void): Promise<void> {
  return withDirectory({ 'served/sub/deep/b.txt': 'b', 'beside/sub/c.txt': 'c' }, (directory) => {
    use(join(directory, 'served'), join(directory, 'beside'));
  });
}

describe('a link with a missing target', () => {
  it('leads to where the target would be: relative to the end of other links, not to their place', () =>
    withNeighbour((served) => {
      symlinkSync('sub/deep', join(served, 'down'));
      symlinkSync('../beside/sub', join(served, 'out'));
      for (const [text, where] of [
        ['missing.txt', 'dangling'],
        ['sub/../missing.txt', 'dangling'],
        ['../missing.txt', 'dangling outside'],
        // Textually, these are outside.
        ['down/../missing.txt', 'dangling'],
        ['down/../../missing.txt', 'dangling'],
        ['down/../../../missing.txt', 'dangling outside'],
        // And these are inside.
        ['out/../missing.txt', 'dangling outside'],
        ['out/../../served/missing.txt', 'dangling'],
        ['out/missing.txt', 'dangling outside'],
        // A missing directory has no parent except the textual one.
        ['missing/../../missing.txt', 'dangling outside'],
        ['missing/../down', 'dangling'],
        // A file is no directory.
        ['sub/deep/b.txt/', 'dangling'],
        ['sub/deep/b.txt/../c.txt', 'dangling'],
        ['.file-editor/../sub/.file-editor/x', 'dangling reserved'],
      ] as const) {
        symlinkSync(text, join(served, 'link'));
        assert.equal(led(served, 'link'), where, text);
        rmSync(join(served, 'link'));
      }
    }));

  it('leads to where the system found it while it existed', () => {
    const places = ['', '/sub', '/sub/deep'];
    const name = fc.constantFrom('..', '.', 'sub', 'deep', 'l0', 'l1', 'l2', 'served', 'beside');
    const text = fc.tuple(fc.boolean(), fc.array(name, { minLength: 1, maxLength: 5 }));
    const link = fc.record({ at: fc.constantFrom(...places), text, neighbour: fc.boolean() });
    return withDirectory({}, (directory) => {
      fc.assert(
        fc.property(fc.array(link, { minLength: 3, maxLength: 3 }), text, (links, [absolute, names]) => {
          rmSync(directory, { recursive: true });
          const [served, beside] = [join(directory, 'served'), join(directory, 'beside')];
          for (const each of [served, beside]) mkdirSync(join(each, 'sub/deep'), { recursive: true });
          const put = (at: string, [from, to]: [boolean, string[]], ...last: string[]): void => {
            symlinkSync([...(from ? [directory] : []), ...to, ...last].join('/'), at);
          };
          for (const [index, { at, text: to, neighbour }] of links.entries())
            put(join(neighbour ? beside : served, at, `l${String(index)}`), to);
          put(join(served, 'directory'), [absolute, names]);
          put(join(served, 'link'), [absolute, names], 'target.txt');
          let parent: string;
          try {
            parent = realpathSync.native(join(served, 'directory'));
          } catch {
            return;
          }
          const isInside = parent === served || parent.startsWith(`${served}/`);
          assert.equal(led(served, 'link'), isInside ? 'dangling' : 'dangling outside');
          if (parent !== directory && !parent.startsWith(`${directory}/`)) return;
          const existing = join(parent, 'target.txt');
          writeFileSync(existing, '');
          assert.equal(led(served, 'link'), isInside ? existing.slice(served.length + 1) : 'outside');
        }),
        { numRuns: 300 },
      );
    });
  });
});

describe('a link to a name that is not UTF-8', () => {
  it('is not confused with a file whose name JavaScript decodes alike', () =>
    withNeighbour((served) => {
      // Both decode to caf\ufffd.txt.
      const name = Buffer.concat([Buffer.from('caf'), Buffer.from([0xe9]), Buffer.from('.txt')]);
      const at = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
      writeFileSync(at(served, '/', name), 'meant');
      writeFileSync(join(served, 'caf\ufffd.txt'), 'other');
      symlinkSync(name, join(served, 'link'));
      symlinkSync('caf\ufffd.txt', join(served, 'legible'));
      symlinkSync(at('missing/', name), join(served, 'dangling'));
      symlinkSync(at('../beside/', name), join(served, 'out'));
      assert.equal(led(served, 'link'), 'illegible');
      assert.equal(led(served, 'legible'), 'caf\ufffd.txt');
      assert.equal(led(served, 'dangling'), 'illegible');
      assert.equal(led(served, 'out'), 'outside');
      unlinkSync(at(served, '/', name));
    }));
});

describe('a link that cannot be followed to its end', () => {
  it('is a loop after as many links as the system follows', () =>
    withNeighbour((served) => {
      symlinkSync('missing.txt', join(served, 'l1'));
      for (let number = 2; number <= 42; number++)
        symlinkSync(`l${String(number - 1)}`, join(served, `l${String(number)}`));
      assert.equal(led(served, 'l40'), 'dangling');
      assert.equal(led(served, 'l42'), 'loop');
    }));

  it('is followed however deep it lies, and however deep it leads', () =>
    withNeighbour((served) => {
      // Deeper than any path may be long, so each directory is made and used from the previous one.
      const steps = Array.from({ length: 20 }, (_, index) => String(index).padEnd(250, 'x'));
      const cwd = process.cwd();
      try {
        process.chdir(served);
        for (const step of steps) {
          mkdirSync(step);
          process.chdir(step);
        }
        writeFileSync('target.txt', '');
        for (const text of ['target.txt', `../${String(steps.at(-1))}/target.txt`, 'missing.txt', '../../missing.txt'])
          symlinkSync(text, `link-${basename(text)}-${String(text.split('/').length)}`);
      } finally {
        process.chdir(cwd);
      }
      const deep = steps.join('/');
      assert.equal(led(served, `${deep}/link-target.txt-1`), `${deep}/target.txt`);
      assert.equal(led(served, `${deep}/link-target.txt-3`), `${deep}/target.txt`);
      assert.equal(led(served, `${deep}/link-missing.txt-1`), 'dangling');
      // In two parts, since one text may not be that long.
      symlinkSync(steps.slice(0, 10).join('/'), join(served, 'half'));
      symlinkSync(`half/${steps.slice(10, 20).join('/')}/target.txt`, join(served, 'link'));
      assert.equal(led(served, 'link'), `${deep}/target.txt`);
      // rmSync names every entry from the top.
      execFileSync('rm', ['-rf', join(served, steps[0] ?? '')]);
    }));

  it(
    'leads outside even through a directory there that denies access; inside, access is denied',
    { skip: process.getuid?.() === 0 ? false : 'needs root to become another user' },
    () =>
      withNeighbour((served, beside) => {
        for (const each of [served, beside]) {
          mkdirSync(join(each, 'locked'), { mode: 0o700 });
          chmodSync(join(each, '..'), 0o755);
        }
        for (const [text, where] of [
          ['locked/a.txt', 'denied EACCES'],
          ['locked/../a.txt', 'denied EACCES'],
          ['locked/../../a.txt', 'outside'],
          ['../beside/locked/a.txt', 'outside'],
          ['../beside/locked', 'outside'],
          ['../beside/locked/../../served/a.txt', 'denied EACCES'],
        ] as const) {
          symlinkSync(text, join(served, 'link'));
          process.seteuid?.(65_534);
          try {
            assert.equal(led(served, 'link'), where, text);
          } finally {
            process.seteuid?.(0);
          }
          rmSync(join(served, 'link'));
        }
      }),
  );
});
