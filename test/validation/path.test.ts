import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPath, parsePath } from '../../src/validation/path.js';

const kindOf = (path: string, platform: NodeJS.Platform = 'linux'): string | undefined =>
  checkPath('path', path, platform)?.kind;

describe('a path below the working directory', () => {
  const fine: readonly (readonly [string, readonly string[], boolean])[] = [
    ['', [], true],
    ['.', [], true],
    ['./', [], true],
    ['a', ['a'], false],
    ['./a', ['a'], false],
    ['a/b.md', ['a', 'b.md'], false],
    ['a\\b.md', ['a', 'b.md'], false],
    ['a//b/', ['a', 'b'], true],
    ['a/./b/.', ['a', 'b'], true],
    ['a/..', ['a', '..'], true],
    ['a/../b', ['a', '..', 'b'], false],
    ['...', ['...'], false],
    ['..a/b..', ['..a', 'b..'], false],
    [' /a', [' ', 'a'], false],
    ['.file-editors', ['.file-editors'], false],
    ['ü:x', ['ü:x'], false],
  ];
  for (const [path, steps, directory] of fine) {
    it(`may be ${JSON.stringify(path)}`, () => {
      assert.equal(kindOf(path), undefined);
      assert.deepEqual(parsePath(path), { steps, directory });
    });
  }

  for (const path of [
    '..',
    'a/../..',
    'a/../../a',
    '../a',
    '..\\a',
    '/a',
    '\\a',
    '//a/b',
    '\\\\host\\share',
    'C:',
    'c:/a',
    'C:a',
    '.file-editor',
    'a/.file-editor/b',
    '.FILE-EDITOR',
    '.file-editor.',
    '.file-editor . .',
    '.file-ed\u0131tor/../.file-editor',
    '.\uff46ile-editor',
    '.file\u200d-editor',
  ]) {
    it(`may not be ${JSON.stringify(path)}: path_security`, () => {
      const refused = checkPath('path', path, 'linux');
      assert.deepEqual([refused?.kind, refused?.message], ['path_security', 'Path escapes base directory']);
      assert.match(refused?.details ?? '', /^\S.*\. [A-Z].*\.$/);
    });
  }

  it('may not name a device or a stream on Windows, where others may', () => {
    for (const path of ['a/con', 'NUL.txt', 'a:b', 'sub/a.txt:stream', 'lpt1/x']) {
      assert.equal(kindOf(path, 'win32'), 'path_security', path);
    }
    for (const path of ['a/con', 'NUL.txt', 'ab:c', 'sub/a.txt:stream', 'lpt1/x']) {
      assert.equal(kindOf(path, 'linux'), undefined, path);
    }
  });

  it('holds no NUL, no part of more than 255 bytes, and at most 4096 bytes', () => {
    const sentences = ['a\0', `${'x'.repeat(256)}/a`, 'ü'.repeat(128), 'a/'.repeat(2049), 'x'.repeat(50_000_000)].map(
      (path) => checkPath('new_path', path)?.details.split(':')[0],
    );
    assert.deepEqual(sentences, [
      '/new_path holds a NUL character',
      '/new_path has a part that is longer than 255 bytes',
      '/new_path has a part that is longer than 255 bytes',
      '/new_path is longer than 4096 bytes',
      '/new_path is longer than 4096 bytes',
    ]);
    assert.equal(kindOf(`${'x'.repeat(255)}/${'ü'.repeat(127)}`), undefined);
    assert.equal(kindOf('a/'.repeat(2048)), undefined);
  });
});
