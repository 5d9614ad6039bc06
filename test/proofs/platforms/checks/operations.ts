/** Each operation once, with paths that lead three directories down where it takes paths. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textOf } from '../files.js';
import { lendServer } from '../scene.js';

const deep = 'src/app/deep';

describe('every operation', () => {
  const scene = lendServer({
    'a.txt': 'one\ntwo\nthree\n',
    [`${deep}/view.txt`]: 'seen\n',
    [`${deep}/write.txt`]: 'old\n',
    [`${deep}/edits.txt`]: 'alpha\nbeta\n',
    [`${deep}/replace.txt`]: 'hello world\n',
    [`${deep}/insert.txt`]: 'one\ntwo\n',
    [`${deep}/delete.txt`]: 'x\n',
    [`${deep}/rename.txt`]: 'moves\n',
    'find/one/two/three/four.txt': 'needle 4\n',
    'find/one/two/three.txt': 'needle 3\n',
    'find/one/two.txt': 'needle 2\n',
    'set/one/two/edit.txt': 'before\n',
    'set/one/two/move.txt': 'moved\n',
    'set/one/two/drop.txt': 'dropped\n',
  });

  it('list_files lists the files of the directory itself', async () => {
    const { files, directory } = await scene.server.done('list_files', {});
    assert.ok(Array.isArray(files));
    assert.deepEqual(
      files.map((file: unknown) => (file instanceof Object && 'name' in file ? file.name : undefined)),
      ['a.txt'],
    );
    assert.equal(directory, scene.directory);
  });

  it('read_file reads a range of lines', async () => {
    assert.deepEqual(await scene.server.done('read_file', { name: 'a.txt', start_line: 2, end_line: 3 }), {
      content: 'two\nthree',
      total_lines: 3,
      range_requested: { start_line: 2, end_line: 3 },
    });
  });

  it('edit_file replaces, inserts, deletes and appends, and makes a missing file', async () => {
    const edits = [
      { line: 1, operation: 'replace', content: 'ONE \u00e9 \u4e16\u754c' },
      { line: 2, operation: 'insert', content: 'between' },
      { line: 3, operation: 'delete' },
    ];
    await scene.server.done('edit_file', { name: 'a.txt', edits, append: 'end' });
    assert.equal(textOf(scene.directory, 'a.txt'), 'ONE \u00e9 \u4e16\u754c\nbetween\ntwo\nend\n');
    await scene.server.done('edit_file', { name: 'made.txt', append: 'first', create_if_missing: true });
    assert.equal(textOf(scene.directory, 'made.txt'), 'first\n');
  });

  it('view shows a file three directories down, and the names in its directory', async () => {
    const file = await scene.server.done('view', { path: `${deep}/view.txt` });
    assert.equal(file['content'], 'seen\n');
    const { entries } = await scene.server.done('view', { path: deep });
    assert.ok(Array.isArray(entries) && entries.includes('view.txt'), JSON.stringify(entries));
  });

  it('create makes a file with its parents, and never overwrites', async () => {
    const path = 'new/one/two/made.txt';
    assert.deepEqual(await scene.server.done('create', { path, content: 'made\n' }), { success: true, path });
    assert.equal(textOf(scene.directory, path), 'made\n');
    const { data } = await scene.server.refused('create', { path, content: 'other\n' });
    assert.equal(data['reason'], 'file_exists');
    assert.equal(textOf(scene.directory, path), 'made\n');
  });

  it('write replaces the file whose hash it is given', async () => {
    const path = `${deep}/write.txt`;
    const { hash } = await scene.server.done('view', { path, return_hash: true });
    await scene.server.done('write', { path, content: 'new\n', expected_hash: hash });
    assert.equal(textOf(scene.directory, path), 'new\n');
    const { data } = await scene.server.refused('write', { path, content: 'third\n', expected_hash: hash });
    assert.equal(data['reason'], 'conflict');
  });

  it('apply_edits replaces texts', async () => {
    const path = `${deep}/edits.txt`;
    const edits = [
      { old_string: 'alpha', new_string: 'ALPHA' },
      { at: 'end', new_string: 'gamma\n' },
    ];
    const { total_replacements: total } = await scene.server.done('apply_edits', { path, edits });
    assert.equal(total, 2);
    assert.equal(textOf(scene.directory, path), 'ALPHA\nbeta\ngamma\n');
  });

  it('str_replace replaces the one occurrence', async () => {
    await scene.server.done('str_replace', { path: `${deep}/replace.txt`, old_str: 'world', new_str: 'there' });
    assert.equal(textOf(scene.directory, `${deep}/replace.txt`), 'hello there\n');
  });

  it('insert puts text before a line', async () => {
    await scene.server.done('insert', { path: `${deep}/insert.txt`, insert_line: 2, new_str: 'and\n' });
    assert.equal(textOf(scene.directory, `${deep}/insert.txt`), 'one\nand\ntwo\n');
  });

  it('delete removes a file', async () => {
    await scene.server.done('delete', { path: `${deep}/delete.txt` });
    assert.ok(!existsSync(join(scene.directory, deep, 'delete.txt')));
  });

  it('rename moves a file into a directory that it makes, and a whole directory', async () => {
    await scene.server.done('rename', { old_path: `${deep}/rename.txt`, new_path: 'moved/one/two/here.txt' });
    assert.equal(textOf(scene.directory, 'moved/one/two/here.txt'), 'moves\n');
    await scene.server.done('rename', { old_path: 'moved/one', new_path: 'moved/uno' });
    assert.equal(textOf(scene.directory, 'moved/uno/two/here.txt'), 'moves\n');
    assert.deepEqual(readdirSync(join(scene.directory, 'moved')), ['uno']);
  });

  it('apply_changes creates, edits, renames and deletes as one change', async () => {
    const below = 'set/one/two';
    const result = await scene.server.done('apply_changes', {
      changes: [
        { path: `${below}/three/made.txt`, content: 'made\n' },
        { path: `${below}/edit.txt`, edits: [{ old_string: 'before', new_string: 'after' }] },
        { path: `${below}/move.txt`, rename_to: `${below}/other/moved.txt` },
        { path: `${below}/drop.txt`, delete: true },
      ],
    });
    assert.equal(result['files_changed'], 4);
    assert.equal(textOf(scene.directory, `${below}/three/made.txt`), 'made\n');
    assert.equal(textOf(scene.directory, `${below}/edit.txt`), 'after\n');
    assert.equal(textOf(scene.directory, `${below}/other/moved.txt`), 'moved\n');
    assert.deepEqual(readdirSync(join(scene.directory, below)).sort(), ['edit.txt', 'other', 'three']);
  });

  it('grep finds what is two, three and four names down', async () => {
    const { files, searched } = await scene.server.done('grep', { pattern: 'needle \\d', path: 'find' });
    assert.deepEqual(files, [
      { path: 'find/one/two.txt', count: 1, matches: [{ line: 1, text: 'needle 2' }] },
      { path: 'find/one/two/three.txt', count: 1, matches: [{ line: 1, text: 'needle 3' }] },
      { path: 'find/one/two/three/four.txt', count: 1, matches: [{ line: 1, text: 'needle 4' }] },
    ]);
    assert.equal(searched, 3);
    const { total_files: all } = await scene.server.done('grep', { pattern: 'needle', mode: 'files' });
    assert.equal(all, 3);
  });

  it('glob finds what is two, three and four names down', async () => {
    const { files, total } = await scene.server.done('glob', { pattern: 'find/**/*.txt' });
    assert.equal(total, 3);
    assert.ok(Array.isArray(files));
    assert.deepEqual(
      files.map((file: unknown) => (file instanceof Object && 'path' in file ? file.path : undefined)),
      ['find/one/two.txt', 'find/one/two/three.txt', 'find/one/two/three/four.txt'],
    );
  });
});
