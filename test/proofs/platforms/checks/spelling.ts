/** Spec 19: where the file system takes several names for one file, every spelling of a path leads to it. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textOf } from '../files.js';
import { lendServer, type Server } from '../scene.js';
import { composed, decomposed, ignoresCase, ignoresComposition } from '../target.js';

/** Every kind of call reaches the file of one line, `needle`, by this path, and leaves its name as it is. */
async function assertLeadsThere(server: Server, path: string): Promise<void> {
  const { content, hash } = await server.done('view', { path, return_hash: true });
  assert.equal(content, 'needle\n');
  const { total_matches: matches } = await server.done('grep', { pattern: 'needle', path });
  assert.equal(matches, 1);
  await server.done('write', { path, content: 'needle\nwritten\n', expected_hash: hash });
  await server.done('str_replace', { path, old_str: 'written', new_str: 'replaced' });
  await server.done('insert', { path, insert_line: 1, new_str: 'inserted\n' });
  await server.done('apply_edits', { path, edits: [{ old_string: 'replaced', new_string: 'edited' }] });
  const edits = [{ old_string: 'inserted\n', new_string: '' }];
  await server.done('apply_changes', { changes: [{ path, edits }] });
  const after = await server.done('view', { path });
  assert.equal(after['content'], 'needle\nedited\n');
  const { data } = await server.refused('create', { path, content: 'x' });
  assert.equal(data['reason'], 'file_exists');
}

/** The same for a flat name of a file of one line. */
async function assertFlatLeadsThere(server: Server, name: string): Promise<void> {
  const read = await server.done('read_file', { name });
  assert.equal(read['content'], 'flat');
  const edits = [{ line: 1, operation: 'replace', content: 'FLAT' }];
  const edited = await server.done('edit_file', { name, edits, create_if_missing: true });
  assert.equal(edited['file_created'], false);
}

describe('names that differ only in case', { skip: !ignoresCase && 'they are two names here' }, () => {
  const scene = lendServer({
    'Flat.txt': 'flat\n',
    'Directory/Sub/Name.txt': 'needle\n',
    'Edit/Sub/Edited.txt': 'needle\n',
    'Both/Sub/File.txt': 'needle\n',
    'Twice/File.txt': 'x\n',
    'Gone/Sub/File.txt': 'x\n',
    'Taken/One.txt': 'one\n',
    'Taken/Two.txt': 'two\n',
    'Case/file.txt': 'cased\n',
    'Case/changes.txt': 'cased\n',
    'Case/directory/file.txt': 'inside\n',
    'Search/Sub/Deep/file.txt': 'sought\n',
  });
  const namesIn = (path: string): string[] => readdirSync(join(scene.directory, path)).sort();

  it('lead to the file by its own name', async () => {
    await assertLeadsThere(scene.server, 'Directory/Sub/NAME.TXT');
    assert.deepEqual(namesIn('Directory/Sub'), ['Name.txt']);
  });

  it('lead to the file by the names of its directories', async () => {
    await assertLeadsThere(scene.server, 'EDIT/sub/Edited.txt');
    assert.deepEqual(namesIn('Edit/Sub'), ['Edited.txt']);
  });

  it('lead to the file by both', async () => {
    await assertLeadsThere(scene.server, 'bOTH/SUB/fILE.TXT');
    assert.deepEqual(namesIn('Both/Sub'), ['File.txt']);
  });

  it('lead to the file of a flat name, which an edit keeps', async () => {
    await assertFlatLeadsThere(scene.server, 'FLAT.TXT');
    assert.ok(namesIn('.').includes('Flat.txt'));
  });

  it('lead to a directory that is searched or viewed', async () => {
    const found = await scene.server.done('grep', { pattern: 'sought', path: 'search/SUB' });
    assert.equal(found['total_matches'], 1);
    const globbed = await scene.server.done('glob', { pattern: '*.txt', path: 'search/SUB' });
    assert.equal(globbed['total'], 1);
    const viewed = await scene.server.done('view', { path: 'search/sub' });
    assert.deepEqual(viewed['entries'], ['Deep']);
  });

  it('count as one path of a change set', async () => {
    const edits = [{ old_string: 'x', new_string: 'y' }];
    const changes = [
      { path: 'Twice/File.txt', edits },
      { path: 'TWICE/FILE.TXT', edits },
    ];
    const { data } = await scene.server.refused('apply_changes', { changes });
    assert.equal(data['reason'], 'invalid_params');
    assert.equal(textOf(scene.directory, 'Twice/File.txt'), 'x\n');
  });

  it('delete the file', async () => {
    await scene.server.done('delete', { path: 'gone/SUB/FILE.txt' });
    assert.deepEqual(namesIn('Gone/Sub'), []);
  });

  it('are changed by a rename of a file', async () => {
    await scene.server.done('rename', { old_path: 'Case/file.txt', new_path: 'Case/FILE.txt' });
    assert.ok(namesIn('Case').includes('FILE.txt'), namesIn('Case').join());
    assert.equal(textOf(scene.directory, 'Case/FILE.txt'), 'cased\n');
    const { entries } = await scene.server.done('view', { path: 'case' });
    assert.ok(Array.isArray(entries) && entries.includes('FILE.txt'), JSON.stringify(entries));
  });

  it('are changed by a rename of a directory', async () => {
    await scene.server.done('rename', { old_path: 'Case/directory', new_path: 'Case/Directory' });
    assert.ok(namesIn('Case').includes('Directory'), namesIn('Case').join());
    assert.equal(textOf(scene.directory, 'Case/Directory/file.txt'), 'inside\n');
    const { entries } = await scene.server.done('view', { path: 'Case' });
    assert.ok(Array.isArray(entries) && entries.includes('Directory'), JSON.stringify(entries));
  });

  it('are changed by a change set', async () => {
    const changes = [{ path: 'Case/changes.txt', rename_to: 'Case/Changes.txt' }];
    await scene.server.done('apply_changes', { changes });
    assert.ok(namesIn('Case').includes('Changes.txt'), namesIn('Case').join());
  });

  it('do not let a rename overwrite another file', async () => {
    const to = { old_path: 'Taken/One.txt', new_path: 'taken/TWO.TXT' };
    const { data } = await scene.server.refused('rename', to);
    assert.equal(data['reason'], 'file_exists');
    const itself = await scene.server.refused('rename', { old_path: 'Taken/One.txt', new_path: 'Taken/One.txt' });
    assert.equal(itself.data['reason'], 'file_exists');
    assert.deepEqual(namesIn('Taken'), ['One.txt', 'Two.txt']);
    assert.equal(textOf(scene.directory, 'Taken/Two.txt'), 'two\n');
  });

  it('leave no second directory where a file is made below one', async () => {
    mkdirSync(join(scene.directory, 'Parent'));
    await scene.server.done('create', { path: 'PARENT/Made/new.txt', content: 'new\n' });
    assert.deepEqual(namesIn('Parent'), ['Made']);
    assert.ok(!namesIn('.').includes('PARENT'));
  });
});

const forms = [
  { stored: decomposed, sent: composed, what: 'composed for a name that is stored decomposed' },
  { stored: composed, sent: decomposed, what: 'decomposed for a name that is stored composed' },
];
describe('names that differ only in Unicode form', { skip: !ignoresComposition && 'they are two names here' }, () => {
  for (const { stored, sent, what } of forms) {
    describe(what, () => {
      const scene = lendServer(
        {
          [`${stored}/${stored}/${stored}.txt`]: 'needle\n',
          [`${stored}.txt`]: 'flat\n',
          [`plain/${stored}.txt`]: 'renamed\n',
        },
        ['--names=unicode'],
      );

      it('lead to the file in every part of its path', async () => {
        await assertLeadsThere(scene.server, `${sent}/${sent}/${sent}.txt`);
        assert.deepEqual(readdirSync(join(scene.directory, stored, stored)), [`${stored}.txt`]);
      });

      it('lead to the file of a flat name', async () => {
        await assertFlatLeadsThere(scene.server, `${sent}.txt`);
        assert.ok(readdirSync(scene.directory).includes(`${stored}.txt`));
      });

      it('are changed by a rename', async () => {
        await scene.server.done('rename', { old_path: `plain/${stored}.txt`, new_path: `plain/${sent}.txt` });
        assert.deepEqual(readdirSync(join(scene.directory, 'plain')), [`${sent}.txt`]);
      });
    });
  }
});
