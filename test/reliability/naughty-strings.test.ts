/** Strings that have broken other programs, as texts and as names (spec 3, 4): preserved byte for byte, or refused. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadNaughtyStrings } from '../corpora/naughty-strings.js';
import { withDirectory } from '../directory.js';
import { withServer } from './server.js';

const strings = loadNaughtyStrings();
const options = { toolset: 'all', names: 'unicode', durability: 'none' };

describe('the Big List of Naughty Strings', () => {
  it('round-trips through files byte for byte: created, read, found, replaced', () =>
    withDirectory({}, (directory) =>
      withServer('stdio', directory, options, async (server) => {
        assert.equal(strings.length, 515);
        const client = server.connect();
        await Promise.all(
          strings.map(async (content, index) => {
            const path = `texts/${String(index)}`;
            const file = join(directory, path);
            const created = await client.call('create', { path, content, encoding: 'utf-8' });
            assert.equal(created.kind, 'done', content);
            assert.deepEqual(readFileSync(file), Buffer.from(content));
            const seen = await client.call('view', { path });
            assert.ok(seen.kind === 'done' && seen.result['content'] === content, content);
            if (content === '') return;
            const edits = [{ old_string: content, new_string: `<${content}>$&$1` }];
            const edited = await client.call('apply_edits', { path, edits });
            assert.equal(edited.kind, 'done', `${content}: ${JSON.stringify(edited)}`);
            assert.deepEqual(readFileSync(file), Buffer.from(`<${content}>$&$1`));
          }),
        );
      }),
    ));

  it('becomes file names unchanged, or is refused', () =>
    withDirectory({}, (directory) =>
      withServer('stdio', directory, options, async (server) => {
        const client = server.connect();
        const made = new Set<string>();
        await Promise.all(
          strings.map(async (name) => {
            const reply = await client.call('edit_file', { name, append: 'x', create_if_missing: true });
            if (reply.kind === 'done') made.add(name);
            else assert.ok(reply.kind === 'refused' && reply.code === -32602, `${name}: ${JSON.stringify(reply)}`);
          }),
        );
        assert.ok(made.size > 200 && made.size < strings.length, String(made.size));
        const there = readdirSync(directory).filter((name) => name !== '.file-editor');
        assert.deepEqual(there.sort(), [...made].sort());
      }),
    ));

  it('used as paths, stays below the directory', () =>
    withDirectory({ 'inside/mark': '' }, (directory) =>
      withServer('stdio', join(directory, 'inside'), options, async (server) => {
        const client = server.connect();
        await Promise.all(
          strings.map(async (path) => {
            const reply = await client.call('create', { path, content: 'x', encoding: 'utf-8' });
            assert.ok(reply.kind !== 'unanswered' && (reply.kind === 'done' || reply.code !== -32603), path);
            if (reply.kind === 'done') {
              const file = join(directory, 'inside', path.replaceAll('\\', '/'));
              assert.ok(existsSync(file), path);
            }
          }),
        );
        assert.deepEqual(readdirSync(directory), ['inside']);
      }),
    ));
});
