import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPath, maxPathBytes, parsePath, plainNames } from '../../../src/core/names/path.js';

const kindOf = (path: string, windowsNames = false): string | undefined =>
  checkPath('path', path, { windowsNames })?.kind;

describe('the plain names of a path', () => {
  it('are those that its .. leave, and none of a path that is too long', () => {
    assert.deepEqual(plainNames('a/../b//./c'), ['b', 'c']);
    assert.deepEqual(plainNames('a'.repeat(maxPathBytes)), ['a'.repeat(maxPathBytes)]);
    assert.deepEqual(plainNames('a/'.repeat(maxPathBytes)), []);
  });
});

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
  ]) {
    it(`may not be ${JSON.stringify(path)}: path_security`, () => {
      const refused = checkPath('path', path, { windowsNames: false });
      assert.deepEqual([refused?.kind, refused?.message], ['path_security', 'Path escapes base directory']);
      assert.match(refused?.details ?? '', /^\S.*\. [A-Z].*\.$/);
    });
  }

  for (const path of [
    '.file-editor',
    'a/.file-editor/b',
    '.FILE-EDITOR',
    '.file-editor.',
    '.file-editor . .',
    '.file-ed\u0131tor/../.file-editor',
    '.\uff46ile-editor',
    '.file\u200d-editor',
  ]) {
    it(`may not be ${JSON.stringify(path)}, which is reserved`, () => {
      const refused = checkPath('path', path, { windowsNames: false });
      assert.deepEqual(
        [refused?.kind, refused?.message],
        ['path_security', "'.file-editor' is reserved for the server"],
      );
      assert.equal(refused?.details, 'Use another name.');
    });
  }

  it('may not name a device or a stream on Windows, where others may', () => {
    for (const path of ['a/con', 'NUL.txt', 'a:b', 'sub/a.txt:stream', 'lpt1/x']) {
      assert.equal(kindOf(path, true), 'path_security', path);
    }
    for (const path of ['a/con', 'NUL.txt', 'ab:c', 'sub/a.txt:stream', 'lpt1/x']) {
      assert.equal(kindOf(path), undefined, path);
    }
  });

  describe('an absolute path inside the directory is refused with the relative one', () => {
    const linux = { windowsNames: false, directories: ['/srv/files', '/home/me/link'] } as const;
    const windows = { windowsNames: true, directories: ['C:\\Users\\me\\files', 'D:\\'] } as const;
    const inside = [
      [linux, '/srv/files/a.txt', 'a.txt'],
      [linux, '/srv/files/sub/a.txt', 'sub/a.txt'],
      [linux, '/home/me/link/sub/', 'sub'],
      [linux, '/srv//files/./sub/../a.txt', 'a.txt'],
      [linux, '/srv/files/..a', '..a'],
      [windows, 'c:\\users\\ME\\files\\Sub\\a.txt', 'Sub/a.txt'],
      [windows, 'C:/Users/me/files/a.txt', 'a.txt'],
      [windows, 'D:\\a.txt', 'a.txt'],
    ] as const;
    for (const [ground, path, below] of inside) {
      it(path, () => {
        const refused = checkPath('path', path, ground);
        assert.deepEqual(
          [refused?.kind, refused?.message],
          ['path_security', 'Path must be relative to the working directory'],
        );
        assert.equal(refused?.details, `Send '${below}' instead.`);
      });
    }

    it('also for the directory itself, which not every call accepts', () => {
      const refused = checkPath('path', '/srv/files/', linux);
      assert.equal(refused?.kind, 'path_security');
      assert.equal(refused.details, "Send '' for the directory itself, or the path of something in it.");
    });

    it('unless the relative one is invalid too: then the reason is given', () => {
      const sentences = [
        [linux, '/srv/files/.file-editor/a.lock'],
        [linux, '/home/me/link/sub/.File-Editor'],
        [linux, `/srv/files/${'x'.repeat(256)}`],
        [windows, 'C:\\Users\\me\\files\\con'],
      ] as const;
      for (const [ground, path] of sentences) {
        const refused = checkPath('path', path, ground);
        const relative = path.replace(/^(\/srv\/files|\/home\/me\/link|C:\\Users\\me\\files)./, '');
        const { message, details } = checkPath('path', relative, { windowsNames: ground.windowsNames }) ?? {};
        assert.ok(message !== undefined, relative);
        assert.deepEqual([refused?.message, refused?.details, refused?.data], [message, details, { path }]);
      }
    });

    it('but not outside the directory, nor for one that only shares a prefix', () => {
      for (const [ground, path] of [
        [linux, '/srv/files2/a.txt'],
        [linux, '/srv'],
        [linux, '/srv/files/../a.txt'],
        [linux, '\\srv\\files\\a.txt'],
        [windows, 'C:\\Users\\me\\a.txt'],
        [windows, 'E:\\a.txt'],
      ] as const) {
        const refused = checkPath('path', path, ground);
        assert.equal(refused?.kind, 'path_security', path);
        assert.doesNotMatch(refused.details, /working directory: '/, path);
      }
    });
  });

  it('holds no NUL, no part of more than 255 bytes, and at most 4096 bytes', () => {
    const sentences = ['a\0', `${'x'.repeat(256)}/a`, 'ü'.repeat(128), 'a/'.repeat(2049), 'x'.repeat(50_000_000)].map(
      (path) => checkPath('new_path', path)?.message,
    );
    assert.deepEqual(sentences, [
      'Invalid params: /new_path holds a NUL character',
      'Invalid params: /new_path has a part that is longer than 255 bytes',
      'Invalid params: /new_path has a part that is longer than 255 bytes',
      'Invalid params: /new_path is longer than 4096 bytes',
      'Invalid params: /new_path is longer than 4096 bytes',
    ]);
    assert.equal(kindOf(`${'x'.repeat(255)}/${'ü'.repeat(127)}`), undefined);
    assert.equal(kindOf('a/'.repeat(2048)), undefined);
  });
});
