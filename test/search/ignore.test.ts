/** `.gitignore` files mean what they mean to git (spec 13). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { withDirectory } from '../directory.js';
import { needs } from '../needs.js';
import { found } from './found.js';

const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** The files that git would not ignore. */
function keptByGit(directory: string): string[] {
  const args = ['-C', directory, 'ls-files', '-z', '--others', '--exclude-per-directory=.gitignore'];
  execFileSync('git', ['init', '-q', directory], { env });
  const paths = execFileSync('git', args, { env, encoding: 'utf8' }).split('\0');
  const files = paths.filter((path) => path !== '' && !/(^|\/)\.gitignore$/.test(path));
  return files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Make the files that are possible beside each other. */
function make(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    try {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
    } catch (error) {
      assert.match(String(error), /EEXIST|EISDIR|ENOTDIR/);
    }
  }
}

async function assertLikeGit(files: readonly string[], rules: Readonly<Record<string, string>>): Promise<void> {
  await withDirectory({}, (directory) => {
    make(directory, Object.fromEntries(files.map((path) => [path, ''])));
    make(directory, Object.fromEntries(Object.entries(rules).map(([path, text]) => [join(path, '.gitignore'), text])));
    assert.deepEqual(found(directory, { pattern: '**' }), keptByGit(directory));
  });
}

describe('the rules of .gitignore files', () => {
  it('are those of git', { skip: needs.git }, async () => {
    const name = fc.constantFrom('a', 'b', 'ab', 'a.b', 'é', 'a b', '!a', '#a', 'a]');
    const files = fc.uniqueArray(
      fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
      {
        minLength: 3,
        maxLength: 10,
      },
    );
    const piece = fc.constantFrom(
      ...['a', 'b', '*', '**', '***', '?', '/', '/', '**/', '/**', '[ab]', '[!a]', '[^b]', '[]a]', '[a-', '[c-a]'],
      ...['[a/b]', '[[:alpha:]]', '\\', '\\*', '\\ ', ' ', '.', 'é', '!', '#'],
    );
    const line = fc
      .tuple(
        fc.constantFrom('', '', '', '!', '/'),
        fc.array(piece, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('', '', '/', ' ', '\r'),
      )
      .map(([start, pieces, end]) => start + pieces.join('') + end)
      // Here git 2.39 differs from its manual: after plain characters, it takes ** for any number of directories.
      .filter((text) => !/^!?[^*?[\\]*[^*?[\\/]\*\*+ *(\/|\\|\r|$)/.test(text));
    const text = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'));
    const rules = fc.dictionary(fc.constantFrom('', 'a', 'b', 'a/b', 'ab'), text, { minKeys: 1, maxKeys: 3 });
    await fc.assert(fc.asyncProperty(files, rules, assertLikeGit), { numRuns: 60 });
  });

  const files = ['a.log', 'a.txt', 'build/a.txt', 'build/b/c.txt', 'src/build/a.txt', 'src/a.log', 'src/keep/a.log'];
  const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['a deeper file lets in what one above excludes', { '': '*.log', 'src/keep': '!*.log' }],
    ['nothing is let in below an excluded directory', { '': 'build', build: '!a.txt' }],
    ['a directory that is let in again is searched', { '': '/src/*', src: '!keep\n' }],
    ['a slash at the start is the directory of the file', { '': '/build', src: '/a.log' }],
    ['a byte order mark and line ends of Windows', { '': '\ufeff*.log\r\nbuild/\r\n' }],
    ['an escaped slash after ** asks for a directory', { '': '**\\/a.log\nsrc/**\\/a.txt' }],
    ['comments, empty lines and trailing spaces', { '': '# *.txt\n\n*.log   \n\\#\n' }],
  ];
  for (const [title, rules] of cases)
    it(`are those of git: ${title}`, { skip: needs.git }, () => assertLikeGit(files, rules));

  it('do not exclude what the path of the search excludes itself, but other files below it', () =>
    withDirectory(
      {
        '.gitignore': 'out/**\n*.log\n',
        'out/sub/a.txt': '',
        'out/sub/a.log': '',
        'out/sub/.gitignore': '/b.txt',
        'out/sub/b.txt': '',
      },
      (directory) => {
        assert.deepEqual(found(directory, { pattern: '**', path: 'out/sub' }), ['out/sub/a.txt']);
        assert.deepEqual(found(directory, { pattern: '**', path: 'out' }), []);
      },
    ));

  it('are read from regular files that are not too long, and lines in other files count nothing', () =>
    withDirectory(
      { 'a.txt': '', 'long/a.txt': '', 'long/.gitignore': `${'#'.repeat(2_000_000)}\na.txt\n` },
      (directory) => {
        mkdirSync(join(directory, '.gitignore'));
        assert.deepEqual(found(directory, { pattern: '**' }), ['a.txt', 'long/a.txt']);
      },
    ));
});
