/** Spec 16: what callers with different tokens see of one directory, and do to it, over REST. */
import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { searchFor } from '../../workers/operations/found-lines.js';
import { cursorOf } from '../../workers/search/cursor.js';
import { fill, lendTokenServer, type Allowed, type Reply } from './token-server.js';

const files = {
  'a.md': 'needle of a',
  'plan.txt': 'hidden needle of plan',
  'bytes.bin': 'needle\0\0',
  '.env': 'hidden needle',
  '.env.md': 'needle of env',
  'notes/b.md': 'needle of b\nneedle again',
  'notes/c.txt': 'hidden needle of c',
  'src/d.ts': 'needle of d',
  'src/deep/e.ts': 'needle of e',
  'src/.gitignore': 'ignored.ts',
  'src/ignored.ts': 'needle ignored',
  'mixed/deep/f.md': 'needle of f',
  'mixed/deep/g.txt': 'hidden needle of g',
  'payroll/h.txt': 'hidden needle of h',
};
const links = {
  'plan.md': 'plan.txt',
  'b.md': 'notes/b.md',
  wages: 'payroll',
  shelf: 'notes',
  'src/out.ts': '../plan.txt',
  'nowhere.md': 'none.md',
};
const tokens: Allowed = {
  all: {},
  md: { paths: ['*.md'] },
  src: { paths: ['src/**'] },
  both: { paths: ['src/**', 'lib/**', 'notes/*.md'] },
  nothing: { paths: ['other/**'] },
  reader: { access: 'read' },
};

/** Make the directory as it was. */
const restore = (directory: string): void => {
  fill(directory, files, links);
};

/** The regular files below a directory. Node 24 follows links when it reads recursively, Node 20 does not. */
function filesIn(directory: string, below = ''): string[] {
  return readdirSync(join(directory, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return entry.name === '.file-editor' ? [] : filesIn(directory, path);
    return entry.isFile() ? [path] : [];
  });
}

/** The files of the directory, with their contents, where these differ from how they were. */
function changesIn(directory: string): Record<string, string> {
  const found = filesIn(directory);
  const before: Readonly<Record<string, string>> = files;
  const changed = found
    .map((path): [string, string] => [path, readFileSync(join(directory, path), 'utf8')])
    .filter(([path, content]) => before[path] !== content);
  const gone = Object.keys(files).filter((path) => !found.includes(path));
  return Object.fromEntries([...changed, ...gone.map((path) => [path, 'gone'] as const)]);
}

/** The values of a member, wherever it is in the answer. */
function all(reply: Reply, member: 'name' | 'path'): string[] {
  return [...reply.text.matchAll(new RegExp(`"${member}":"([^"]*)"`, 'g'))].map(([, value = '']) => value).sort();
}

describe('a list shows', () => {
  const server = lendTokenServer({}, tokens, { prepare: restore, options: { logLevel: 'silent' } });

  it('in list_files, the files whose names and targets are allowed, and counts no others', async () => {
    for (const [who, names] of [
      ['all', ['a.md', 'b.md', 'bytes.bin', 'plan.md', 'plan.txt']],
      ['md', ['a.md', 'b.md']],
      ['src', []],
      ['nothing', []],
      // The next one may not be shown what another caller was shown before.
      ['all', ['a.md', 'b.md', 'bytes.bin', 'plan.md', 'plan.txt']],
      ['md', ['a.md', 'b.md']],
    ] as const) {
      const reply = await server().call(who, 'list_files', {});
      assert.deepEqual(all(reply, 'name'), names, who);
      assert.ok(reply.text.includes(`"total_count":${String(names.length)},`), reply.text);
    }
  });

  it('in view of a directory, what is allowed and directories that lead to it; else it is refused', async () => {
    const shown: Readonly<Record<string, Readonly<Record<string, readonly string[] | number>>>> = {
      md: {
        '': ['a.md', 'b.md', 'mixed', 'notes', 'shelf'],
        notes: ['b.md'],
        shelf: ['b.md'],
        mixed: ['deep'],
        'mixed/deep': ['f.md'],
        payroll: 403,
        wages: 403,
        src: 403,
      },
      src: { '': ['src'], src: ['d.ts', 'deep', 'ignored.ts'], 'src/deep': ['e.ts'], notes: 403, shelf: 403 },
      both: { '': ['notes', 'src'], notes: ['b.md'], shelf: 403, 'src/..': ['notes', 'src'] },
      nothing: { '': 403, src: 403, other: 404 },
    };
    for (const [who, directories] of Object.entries(shown)) {
      for (const [path, names] of Object.entries(directories)) {
        const reply = await server().call(who, 'view', { path });
        const about = `${who} ${path}: ${reply.text}`;
        if (typeof names === 'number') assert.equal(reply.status, names, about);
        else assert.ok(reply.text.includes(`"entries":${JSON.stringify(names)}`), about);
      }
    }
  });

  it('in glob, the same, and counts no others', async () => {
    for (const [who, paths] of [
      ['md', ['a.md', 'mixed/deep/f.md', 'notes/b.md']],
      ['src', ['src/d.ts', 'src/deep/e.ts']],
      ['both', ['notes/b.md', 'src/d.ts', 'src/deep/e.ts']],
    ] as const) {
      const reply = await server().call(who, 'glob', { pattern: '**' });
      assert.deepEqual(all(reply, 'path'), paths);
      assert.ok(reply.text.includes(`"total":${String(paths.length)}`), reply.text);
      const one = await server().call(who, 'glob', { pattern: '**', limit: 1 });
      assert.ok(one.text.includes(`"total":${String(paths.length)}`), one.text);
    }
    const hidden = await server().call('md', 'glob', { pattern: '**', hidden: true, ignored: true });
    assert.deepEqual(all(hidden, 'path'), ['.env.md', 'a.md', 'mixed/deep/f.md', 'notes/b.md']);
    assert.equal((await server().call('nothing', 'glob', { pattern: '**' })).status, 403);
    assert.equal((await server().call('md', 'glob', { pattern: '**', path: 'payroll' })).status, 403);
  });

  it('in grep, lines of those files only, and counts no others, whatever was found for another caller before', async () => {
    for (const [who, paths, matches, searched] of [
      ['all', null, 10, 10],
      ['md', ['a.md', 'mixed/deep/f.md', 'notes/b.md'], 4, 3],
      ['src', ['src/d.ts', 'src/deep/e.ts'], 2, 2],
      ['md', ['a.md', 'mixed/deep/f.md', 'notes/b.md'], 4, 3],
    ] as const) {
      // The second search uses what the first one has learned.
      for (const pattern of ['needle', 'needle', 'needle o']) {
        const reply = await server().call(who, 'grep', { pattern });
        if (paths === null) continue;
        assert.deepEqual(all(reply, 'path'), paths, pattern);
        assert.ok(!reply.text.includes('hidden needle'), reply.text);
        const found = pattern === 'needle' ? matches : paths.length;
        const counts = `"total_matches":${String(found)},"total_files":${String(paths.length)},"searched":${String(searched)},"skipped":{"binary":0,"too_large":0,"unreadable":0},"truncated":false`;
        assert.ok(reply.text.includes(counts), reply.text);
      }
    }
    for (const pattern of ['needle', 'no such text']) {
      assert.equal((await server().call('nothing', 'grep', { pattern })).status, 403);
      assert.equal((await server().call('md', 'grep', { pattern, path: 'payroll' })).status, 403);
      assert.equal((await server().call('md', 'grep', { pattern, path: 'wages' })).status, 403);
    }
  });

  it('after the place of any cursor, what is allowed', async () => {
    const cursorAt = (place: string, line: string, path = ''): string =>
      cursorOf(searchFor({ pattern: 'needle', path }), [place, line]);
    const first = await server().call('all', 'grep', { pattern: 'needle', limit: 2 });
    const { cursor: given } = JSON.parse(first.text) as { cursor: string };
    for (const cursor of [given, cursorAt('plan.txt', '1'), cursorAt('payroll/h.txt', '1'), cursorAt('plan', '0')]) {
      const { status, text } = await server().call('src', 'grep', { pattern: 'needle', cursor });
      assert.equal(status, 200, text);
      assert.deepEqual(all({ status, text, headers: new Headers() }, 'path'), ['src/d.ts', 'src/deep/e.ts']);
      assert.ok(!text.includes('hidden'), text);
    }
    for (const path of ['plan.txt', 'none.txt']) {
      const reply = await server().call('src', 'grep', { pattern: 'needle', path, cursor: cursorAt(path, '1', path) });
      assert.equal(reply.status, 403);
    }
  });

  it('in suggestions, only what is allowed', async () => {
    for (const [who, operation, params, meant] of [
      ['all', 'read_file', { name: 'plam.md' }, 'plan.md'],
      ['md', 'read_file', { name: 'plam.md' }, null],
      ['md', 'read_file', { name: 'aa.md' }, 'a.md'],
      ['all', 'view', { path: 'src/ou.ts' }, 'out.ts'],
      ['src', 'view', { path: 'src/ou.ts' }, null],
      ['src', 'view', { path: 'src/dd.ts' }, 'd.ts'],
      ['src', 'view', { path: 'src/deeps/e.ts' }, 'deep'],
      ['all', 'view', { path: 'payrol/x.md' }, 'payroll'],
      ['md', 'view', { path: 'payrol/x.md' }, null],
      ['md', 'view', { path: 'notes/c.md' }, 'b.md'],
      ['all', 'view', { path: 'notes/cc.txt' }, 'c.txt'],
    ] as const) {
      const { status, text } = await server().call(who, operation, params);
      assert.equal(status, 404, text);
      const [, suggested = null] = /Did you mean '([^']*)'/.exec(text) ?? [];
      const isAsExpected = meant === null ? suggested === null : suggested?.endsWith(meant);
      assert.ok(isAsExpected, `${who} ${JSON.stringify(params)}: ${text}`);
    }
  });
});

describe('what one caller has read', () => {
  const server = lendTokenServer({}, tokens, { prepare: restore, options: { logLevel: 'silent' } });

  it('is not shown to another one, from the cache either', async () => {
    const { call } = server();
    for (const name of ['plan.txt', 'plan.md', 'a.md', 'b.md']) {
      const read = (who: string, headers?: Record<string, string>): Promise<Reply> =>
        call(who, 'read_file', { name }, headers);
      const replies = [await read('all'), await read('all'), await read('reader')];
      assert.deepEqual(replies.map(({ status }) => status), [200, 200, 200]); // prettier-ignore
      const tag = replies[0]?.headers.get('ETag') ?? '';
      assert.equal((await read('all', { 'If-None-Match': tag })).status, 304);
      const isAllowed = name !== 'plan.txt' && name !== 'plan.md';
      for (const headers of [
        undefined,
        { 'If-None-Match': tag },
        { 'If-None-Match': '*' },
        { 'If-None-Match': '"x"' },
      ]) {
        const reply = await read('md', headers);
        const known = headers !== undefined && headers['If-None-Match'] !== '"x"';
        assert.equal(reply.status, !isAllowed ? 403 : known ? 304 : 200, `${name} ${JSON.stringify(headers)}`);
        if (!isAllowed) assert.equal(reply.headers.get('ETag'), null);
      }
      assert.equal((await read('src')).status, 403);
      assert.equal((await read('md')).status, isAllowed ? 200 : 403);
    }
  });

  it('is not shown through a link that is turned to it', async () => {
    const { call, directory } = server();
    const turnTo = (target: string): void => {
      rmSync(join(directory, 'b.md'));
      symlinkSync(target, join(directory, 'b.md'));
    };
    for (const target of ['notes/b.md', 'plan.txt', 'a.md', 'payroll/h.txt', 'notes/b.md', 'wages/h.txt']) {
      turnTo(target);
      const status = target.endsWith('.md') ? 200 : 403;
      for (const who of ['all', 'md', 'md']) {
        assert.equal((await call(who, 'read_file', { name: 'b.md' })).status, who === 'all' ? 200 : status, target);
        assert.equal((await call(who, 'view', { path: 'b.md' })).status, who === 'all' ? 200 : status, target);
      }
    }
  });

  it('is not shown, nor changed, through a link that is turned during the calls', async () => {
    const { call, directory } = server();
    mkdirSync(join(directory, 'closed'));
    writeFileSync(join(directory, 'closed/e.ts'), 'hidden');
    const link = join(directory, 'src/turning');
    const turns = ['deep', '../closed'];
    const edit = { path: 'src/turning/e.ts', edits: [{ old_string: 'needle', new_string: 'needle' }] };
    const statuses = new Set<number>();
    for (let round = 0; round < 40; round++) {
      const calls = { areOver: false };
      const replies = Promise.all([
        call('src', 'view', { path: 'src/turning/e.ts' }),
        call('src', 'view', { path: 'src/turning' }),
        call('src', 'grep', { path: 'src/turning', pattern: 'needle|hidden' }),
        call('src', 'apply_edits', edit),
        call('src', 'create', { path: `src/turning/${String(round)}.ts`, content: 'x' }),
      ]).finally(() => (calls.areOver = true));
      for (let turn = 0; !calls.areOver; turn++) {
        symlinkSync(turns[turn % 2] ?? '', `${link}.new`);
        renameSync(`${link}.new`, link);
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const { status, text } of await replies) {
        statuses.add(status);
        assert.ok(!text.includes('hidden'), text);
      }
    }
    assert.ok(statuses.has(200) && statuses.has(403), [...statuses].join());
    assert.deepEqual(readdirSync(join(directory, 'closed')), ['e.ts']);
    rmSync(link);
    rmSync(join(directory, 'closed'), { recursive: true });
  });

  it('is shown under another name of the file: hard links cannot be told apart', async () => {
    linkSync(join(server().directory, 'plan.txt'), join(server().directory, 'same.md'));
    assert.match((await server().call('md', 'read_file', { name: 'same.md' })).text, /hidden needle/);
  });
});

describe('a change over the border', () => {
  const server = lendTokenServer({}, tokens, { prepare: restore, options: { logLevel: 'silent' } });
  beforeEach(() => {
    restore(server().directory);
  });
  const edits = [{ old_string: 'needle', new_string: 'x' }];
  const created = { path: 'src/new.ts', content: 'x' };

  for (const [title, who, operation, params] of [
    ['a file out', 'both', 'rename', { old_path: 'src/d.ts', new_path: 'd.ts' }],
    ['a file in', 'both', 'rename', { old_path: 'plan.txt', new_path: 'src/plan.txt' }],
    ['a file to a name that is not allowed', 'both', 'rename', { old_path: 'notes/b.md', new_path: 'notes/b.txt' }],
    ['a directory out', 'both', 'rename', { old_path: 'src/deep', new_path: 'deep' }],
    ['a directory in', 'both', 'rename', { old_path: 'payroll', new_path: 'src/payroll' }],
    ['a directory of which a part is hidden', 'both', 'rename', { old_path: 'notes', new_path: 'lib/notes' }],
    ['a directory to where only a part is allowed', 'both', 'rename', { old_path: 'src/deep', new_path: 'notes/deep' }],
    ['a directory whose parts are allowed', 'md', 'rename', { old_path: 'mixed', new_path: 'mixed2' }],
    ['a link to what is hidden', 'md', 'rename', { old_path: 'plan.md', new_path: 'plan2.md' }],
    ['a link to a directory', 'both', 'rename', { old_path: 'shelf', new_path: 'src/shelf' }],
    ['a file through a link', 'both', 'rename', { old_path: 'src/d.ts', new_path: 'shelf/d.md' }],
    ['a link out of the way', 'md', 'delete', { path: 'plan.md' }],
    ['an empty directory', 'both', 'delete', { path: 'payroll' }],
    ['a file behind a link', 'src', 'write', { path: 'src/out.ts', content: 'x' }],
    ['a new file in a new directory', 'both', 'create', { path: 'new/deep/a.ts', content: 'x' }],
    ['a new file in a directory that is a file', 'md', 'create', { path: 'plan.txt/a.md', content: 'x' }],
    ['a file, with others', 'both', 'apply_changes', { changes: [created, { path: 'plan.txt', delete: true }] }],
    ['text, with others', 'both', 'apply_changes', { changes: [created, { path: 'plan.txt', edits }] }],
    ['content, with others', 'both', 'apply_changes', { changes: [created, { path: 'plan.txt', content: 'x' }] }],
    [
      'a name out, with others',
      'both',
      'apply_changes',
      { changes: [created, { path: 'src/d.ts', rename_to: 'd.ts' }] },
    ],
    [
      'a name in, with others',
      'both',
      'apply_changes',
      { changes: [created, { path: 'plan.txt', rename_to: 'src/p' }] },
    ],
    ['a hidden file first', 'both', 'apply_changes', { changes: [{ path: 'plan.txt', delete: true }, created] }],
    [
      'a file, in a dry run',
      'both',
      'apply_changes',
      { changes: [created, { path: 'plan.txt', edits }], dry_run: true },
    ],
    ['text behind a link', 'src', 'apply_changes', { changes: [{ path: 'src/out.ts', edits }] }],
    [
      'a link to what is hidden, with its diff',
      'md',
      'apply_changes',
      { changes: [{ path: 'plan.md', delete: true }] },
    ],
    ['a file through another', 'md', 'apply_changes', { changes: [{ path: 'plan.txt/a.md', content: 'x' }] }],
    [
      'a file through another, in a dry run',
      'md',
      'apply_changes',
      { changes: [{ path: 'plan.txt/a.md', content: 'x' }], dry_run: true },
    ],
    ['a file to behind another', 'md', 'apply_changes', { changes: [{ path: 'a.md', rename_to: 'plan.txt/a.md' }] }],
    ['a file, by a reader', 'reader', 'apply_changes', { changes: [created], dry_run: true }],
    ['text, by a reader', 'reader', 'apply_edits', { path: 'src/d.ts', edits, dry_run: true }],
    ['nothing, by a reader', 'reader', 'edit_file', {}],
  ] as const) {
    it(`is refused, and changes nothing: ${title}`, async () => {
      const { status, text } = await server().call(who, operation, params);
      assert.equal(status, 403, text);
      assert.ok(!/hidden|diff --git|@@/.test(text), text);
      assert.deepEqual(changesIn(server().directory), {});
      assert.deepEqual(readdirSync(server().directory).filter((name) => name === 'new'), []); // prettier-ignore
    });
  }

  for (const [title, who, operation, params, changed] of [
    [
      'a file',
      'both',
      'rename',
      { old_path: 'src/d.ts', new_path: 'lib/d.ts' },
      { 'lib/d.ts': files['src/d.ts'], 'src/d.ts': 'gone' },
    ],
    [
      'a directory',
      'both',
      'rename',
      { old_path: 'src/deep', new_path: 'lib/deep' },
      { 'lib/deep/e.ts': files['src/deep/e.ts'], 'src/deep/e.ts': 'gone' },
    ],
    ['a new file in new directories', 'both', 'create', { path: 'lib/x/y.ts', content: 'y' }, { 'lib/x/y.ts': 'y' }],
    [
      'a file from one rule to the other',
      'both',
      'rename',
      { old_path: 'src/d.ts', new_path: 'notes/d.md' },
      { 'notes/d.md': files['src/d.ts'], 'src/d.ts': 'gone' },
    ],
    [
      'several files',
      'both',
      'apply_changes',
      { changes: [created, { path: 'notes/b.md', delete: true }] },
      { 'src/new.ts': 'x', 'notes/b.md': 'gone' },
    ],
  ] as const) {
    it(`is made within it: ${title}`, async () => {
      const { status, text } = await server().call(who, operation, params);
      assert.equal(status, 200, text);
      assert.deepEqual(changesIn(server().directory), changed);
    });
  }

  it('is refused to its caller alone, among edits of one file by many at once', async () => {
    const { call, directory } = server();
    const insert = (who: string, index: number): Promise<Reply> =>
      call(who, 'edit_file', {
        name: 'a.md',
        edits: [{ line: 1, operation: 'insert', content: `${who}${String(index)}` }],
      });
    const callers = Array.from(
      { length: 24 },
      (_, index) => ['all', 'md', 'src', 'reader', 'nothing', 'all'][index % 6] ?? '',
    );
    const replies = await Promise.all(callers.map(insert));
    assert.deepEqual(
      replies.map(({ status }) => status),
      callers.map((who) => (who === 'all' || who === 'md' ? 200 : 403)),
    );
    const lines = readFileSync(join(directory, 'a.md'), 'utf8').split('\n');
    const wanted = callers.flatMap((who, index) => (who === 'all' || who === 'md' ? [`${who}${String(index)}`] : []));
    assert.deepEqual(lines.slice(0, -1).sort(), wanted.sort());
    assert.equal(lines.at(-1), files['a.md']);
  });
});
