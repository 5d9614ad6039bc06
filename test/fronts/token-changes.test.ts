/** Spec 17: tokens that may change less than they may read, and tokens that are themselves being changed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fill, hashOfToken, lendTokenServer, tokenOf, type Allowed } from './token-server.js';

const files = { 'a.md': 'needle', 'docs/b.md': 'needle', 'docs/plan.md': 'needle', 'src/c.ts': 'needle' };
const links = { 'docs/link.ts': '../src/c.ts' };

const tokens: Allowed = {
  all: {},
  docs: { write: ['docs/**'] },
  md: { write: ['*.md'] },
  both: { paths: ['docs/**', 'src/**'], write: ['docs/**', '!docs/plan.md'] },
  reader: { access: 'read', paths: ['docs/**'] },
  changing: { sha256: [hashOfToken('changing'), hashOfToken('changed')] },
};

const edits = [{ old_string: 'needle', new_string: 'x' }];

/** Every way to change what is at a path. @param beside a free path that may be used */
const changesOf = (path: string, beside: string): readonly (readonly [operation: string, params: object])[] => [
  ['create', { path, content: 'x' }],
  ['write', { path, content: 'x', expected_hash: '*' }],
  ['str_replace', { path, old_str: 'needle', new_str: 'x' }],
  ['insert', { path, insert_line: 0, new_str: 'x' }],
  ['apply_edits', { path, edits }],
  ['apply_edits', { path, edits, dry_run: true }],
  ['delete', { path }],
  ['rename', { old_path: path, new_path: beside }],
  ['rename', { old_path: 'docs/b.md', new_path: path }],
  ['apply_changes', { changes: [{ path, edits }] }],
  [
    'apply_changes',
    {
      changes: [
        { path: 'docs/b.md', edits },
        { path, delete: true },
      ],
      dry_run: true,
    },
  ],
];

describe('a token that may change less than it may read', () => {
  const server = lendTokenServer({}, tokens, {
    prepare: (directory) => {
      fill(directory, files, links);
    },
  });
  const statusOf = async (who: string, operation: string, params: object): Promise<number> =>
    (await server().call(who, operation, params)).status;

  it('reads all that its paths allow, also what is cached', async () => {
    for (const path of ['a.md', 'docs/plan.md', 'src/c.ts', 'docs/link.ts']) {
      assert.equal(await statusOf('docs', 'view', { path }), 200, path);
    }
    for (let times = 0; times < 2; times++) assert.equal(await statusOf('docs', 'read_file', { name: 'a.md' }), 200);
    assert.equal(await statusOf('both', 'view', { path: 'src/c.ts' }), 200);
    assert.equal(await statusOf('both', 'view', { path: 'a.md' }), 403);
    const found = await server().call('docs', 'grep', { pattern: 'needle' });
    assert.match(found.text, /"total_files":4,/);
  });

  it('is refused every other change, tried out or made, of what is there or missing', async () => {
    for (const [who, told, paths] of [
      [
        'docs',
        /This token allows changes only of docs\/\*\*\. Use a path that matches, or ask/,
        ['src/c.ts', 'src/none'],
      ],
      ['docs', /This token allows changes only of docs/, ['docs/../a.md', 'docs/link.ts']],
      [
        'both',
        /This token allows only docs\/\*\*, src\/\*\*, and changes only of docs\/\*\*, !docs\/plan\.md\. /,
        ['docs/plan.md', 'src/c.ts', 'a.md'],
      ],
    ] as const) {
      for (const path of paths) {
        for (const [operation, params] of changesOf(path, 'docs/free.md')) {
          // What is made there is no link.
          if (path === 'docs/link.ts' && (operation === 'create' || 'new_path' in params)) continue;
          const { status, text } = await server().call(who, operation, params);
          assert.equal(status, 403, `${who} ${operation} ${JSON.stringify(params)}: ${text}`);
          assert.match(text, told);
        }
      }
    }
    const found = await server().call('all', 'grep', { pattern: 'needle' });
    assert.match(found.text, /"total_files":4,/, 'nothing was changed');
  });

  it('edits by glob what it may change, passes over what is hidden from it, and is refused for what it may only read', async () => {
    const inAll = (glob: string): object => ({ changes: [{ glob, edits }], dry_run: true });
    for (const [who, glob, status, path] of [
      ['docs', 'docs/*.md', 200, 'docs/b.md'],
      ['docs', '**/*.md', 403, 'a.md'],
      ['both', '**/b.*', 200, 'docs/b.md'],
      ['both', '[ab].md', 200, 'docs/b.md'],
      ['both', '**', 403, 'docs/plan.md'],
      ['both', 'a.md', 400, undefined],
    ] as const) {
      const reply = await server().call(who, 'apply_changes', inAll(glob));
      assert.equal(reply.status, status, `${who} ${glob}: ${reply.text}`);
      if (path !== undefined) assert.match(reply.text, new RegExp(`"path":"${path}"`));
      assert.doesNotMatch(reply.text, status === 400 ? /would match/ : /"path":"a\.md".*"kind"/);
    }
  });

  it('is refused by the tool for flat names', async () => {
    const made = { create_if_missing: true, append: 'x' };
    assert.equal(await statusOf('docs', 'edit_file', { name: 'a.md', ...made }), 403);
    assert.equal(await statusOf('docs', 'edit_file', { name: 'none.md', ...made }), 403);
    assert.equal(await statusOf('md', 'edit_file', { name: 'none.md', ...made }), 200);
    assert.equal(await statusOf('md', 'edit_file', { name: 'none.txt', ...made }), 403);
  });

  it('makes the changes that it may make', async () => {
    assert.equal(await statusOf('docs', 'create', { path: 'docs/new/d.md', content: 'x' }), 200);
    assert.equal(await statusOf('both', 'rename', { old_path: 'docs/new/d.md', new_path: 'docs/e.md' }), 200);
    assert.equal(await statusOf('docs', 'rename', { old_path: 'docs/new', new_path: 'docs/newer' }), 200);
    assert.equal(await statusOf('both', 'rename', { old_path: 'docs/newer', new_path: 'docs/new' }), 200);
    assert.equal(await statusOf('docs', 'delete', { path: 'docs/e.md' }), 200);
  });

  it('is told by instructions what it may use', async () => {
    const told = async (who: string): Promise<string> => {
      const response = await fetch(`${server().url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${tokenOf(who)}` },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tests', version: '1' } },
        }),
      });
      const { result } = (await response.json()) as { result: { instructions: string } };
      return result.instructions;
    };
    assert.doesNotMatch(await told('all'), /This (?:token|server) allows/);
    assert.match(await told('docs'), / This token allows changes only of docs\/\*\*\.$/);
    assert.match(await told('both'), / This token allows only docs\/\*\*, src\/\*\*, and changes only of docs\/\*\*, /);
    assert.match(await told('reader'), / Your token allows only reading\..* This token allows only docs\/\*\*\.$/);
  });
});

describe('a token that is being changed', () => {
  const server = lendTokenServer({ 'a.md': 'needle' }, tokens);
  const statusOf = async (who: string): Promise<number> =>
    (await server().call(who, 'read_file', { name: 'a.md' })).status;

  it('is taken in its old and its new form, as the same caller, until the old one is taken out', async () => {
    assert.deepEqual([await statusOf('changing'), await statusOf('changed'), await statusOf('none')], [200, 200, 401]);
    await server().call('changed', 'view', { path: 'none' });
    assert.match(server().errors(), /"caller":"changing"/);
    await server().reload({ ...tokens, changing: { sha256: [hashOfToken('changed')] } });
    assert.deepEqual([await statusOf('changing'), await statusOf('changed')], [401, 200]);
  });
});
