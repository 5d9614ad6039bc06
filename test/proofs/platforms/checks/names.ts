/** Spec 3, 11 and 19: names and paths as Windows understands them, and the reserved directory in every disguise. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textOf } from '../files.js';
import { lendServer } from '../scene.js';
import { onWindows } from '../target.js';

const devices = ['CON', 'nul.txt', 'aux', 'COM1.log', 'LPT9', 'CONIN$'];
const streams = ['a:b', 'file.txt:stream', 'file.txt::$DATA'];
const unusable = ['a<b', 'a>b', 'a"b', 'a|b', 'a?b', 'a*b', 'tab\tb', 'bell\u0007b', 'dot.', 'space ', 'both. .'];

describe('on Windows', { skip: !onWindows && 'this is another system' }, () => {
  const scene = lendServer({ 'sub/file.txt': 'x\n', 'file.txt': 'x\n' }, ['--names=unicode']);
  /** Assert that the operation is refused whatever of these names it is given, in any part of the path. */
  const assertRefused = async (names: readonly string[], method: string, params: (path: string) => object) => {
    for (const name of names) {
      for (const path of [name, `sub/${name}`, `${name}/file.txt`]) {
        const { data } = await scene.server.refused(method, params(path));
        assert.equal(data['reason'], 'path_security', `${method} ${JSON.stringify(path)}`);
      }
    }
    assert.deepEqual(readdirSync(join(scene.directory, 'sub')), ['file.txt']);
    const here = readdirSync(scene.directory).filter((name) => name !== '.file-editor');
    assert.deepEqual(here.sort(), ['file.txt', 'sub']);
  };
  const made = [...unusable, ...devices, ...streams];

  it('create refuses every name that Windows cannot hold', () =>
    assertRefused(made, 'create', (path) => ({ path, content: 'x' })));

  it('write refuses them', () => assertRefused(made, 'write', (path) => ({ path, content: 'x' })));

  it('rename refuses them as a new name', () =>
    assertRefused(made, 'rename', (path) => ({ old_path: 'file.txt', new_path: path })));

  it('apply_changes refuses them as files to make and as new names', async () => {
    await assertRefused(made, 'apply_changes', (path) => ({ changes: [{ path, content: 'x' }] }));
    await assertRefused(made, 'apply_changes', (path) => ({ changes: [{ path: 'file.txt', rename_to: path }] }));
  });

  it('devices and streams are not read either', () =>
    assertRefused([...devices, ...streams], 'view', (path) => ({ path })));

  it('edit_file refuses the same names by the rule of flat names', async () => {
    for (const name of made) {
      const edit = { name, append: 'x', create_if_missing: true };
      const { code, message } = await scene.server.refused('edit_file', edit);
      assert.equal(code, -32602, JSON.stringify(name));
      assert.ok(message.startsWith('Invalid filename format'), message);
    }
    assert.ok(!readdirSync(scene.directory).some((name) => made.includes(name)));
  });

  it('a backslash separates names', async () => {
    await scene.server.done('create', { path: 'back\\one\\two.txt', content: 'deep\n' });
    const { content } = await scene.server.done('view', { path: 'back/one/two.txt' });
    assert.equal(content, 'deep\n');
    const found = await scene.server.done('grep', { pattern: 'deep', path: 'back\\one' });
    assert.equal(found['total_matches'], 1);
    await scene.server.done('delete', { path: 'back/one\\two.txt' });
    await scene.server.done('delete', { path: 'back\\one' });
    await scene.server.done('delete', { path: 'back' });
  });

  it('an absolute path below the directory is refused with the relative one', async () => {
    const absolute = `${scene.directory}\\sub\\file.txt`;
    const spelled = [absolute, absolute.replaceAll('\\', '/'), absolute.toUpperCase(), absolute.toLowerCase()];
    for (const path of spelled) {
      const { data } = await scene.server.refused('view', { path });
      assert.equal(data['reason'], 'path_security', path);
      assert.match(String(data['details']), /Send '?sub[\\/]file\.txt/i, path);
    }
  });

  it('any other absolute path, and one that leaves the directory, is refused', async () => {
    const outside = [
      'C:\\Windows\\win.ini',
      'c:x',
      '\\\\server\\share\\x',
      '\\\\?\\C:\\x',
      '\\x',
      '..\\x',
      'sub\\..\\..\\x',
    ];
    for (const path of outside) {
      const { data } = await scene.server.refused('view', { path });
      assert.equal(data['reason'], 'path_security', path);
    }
  });
});

describe('the reserved directory', () => {
  const everywhere = [
    '.file-editor',
    '.FILE-EDITOR',
    '.File-Editor',
    '.file-editor.',
    '.file-editor ',
    '.file-editor. .',
  ];
  const windows = ['.file-editor::$INDEX_ALLOCATION', '.file-editor:$I30:$INDEX_ALLOCATION', '.file-editor:x'];
  const names = onWindows ? [...everywhere, ...windows] : everywhere;
  const scene = lendServer({ 'sub/file.txt': 'x\n' }, ['--names=unicode']);

  it('is refused in every spelling, by every kind of call', async () => {
    await scene.server.done('create', { path: 'made.txt', content: 'x' });
    const before = readdirSync(join(scene.directory, '.file-editor')).sort();
    for (const name of names) {
      for (const path of [name, `${name}/.gitignore`, `sub/../${name}/0001.lock`, `sub\\..\\${name}\\x`]) {
        const calls = [
          ['view', { path }],
          ['create', { path, content: 'x' }],
          ['write', { path, content: 'x', expected_hash: '*' }],
          ['delete', { path }],
          ['rename', { old_path: path, new_path: 'sub/out' }],
          ['rename', { old_path: 'sub/file.txt', new_path: path }],
          ['apply_edits', { path, edits: [{ at: 'end', new_string: 'x' }] }],
          ['grep', { path, pattern: '.', hidden: true, ignored: true }],
          ['glob', { path, pattern: '*', hidden: true, ignored: true }],
        ] as const;
        for (const [method, params] of calls) {
          const { data } = await scene.server.refused(method, params);
          assert.equal(data['reason'], 'path_security', `${method} ${JSON.stringify(path)}`);
        }
      }
      const { message } = await scene.server.refused('edit_file', { name, append: 'x', create_if_missing: true });
      assert.ok(message.startsWith('Invalid filename format'), message);
    }
    assert.deepEqual(readdirSync(join(scene.directory, '.file-editor')).sort(), before);
    assert.equal(textOf(scene.directory, 'sub/file.txt'), 'x\n');
  });

  it('is not reached by its short name', async () => {
    for (const path of ['FILE-E~1', 'file-e~1/.gitignore', 'FILE-E~1.']) {
      const { data } = await scene.server.refused('view', { path });
      assert.ok(['file_not_found', 'path_security'].includes(String(data['reason'])), JSON.stringify(data));
    }
  });

  it('is in no listing', async () => {
    const all = { pattern: '**', hidden: true, ignored: true };
    const { files } = await scene.server.done('glob', all);
    assert.ok(!JSON.stringify(files).includes('.file-editor'));
    const { searched } = await scene.server.done('grep', { ...all, pattern: '.' });
    assert.equal(searched, 2);
  });
});
