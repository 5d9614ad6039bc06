/** Spec 16: attacks on the paths of a token, over REST. Nothing that it does not allow may be read, changed or found out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fill, lendTokenServer, type Allowed, type Reply } from './token-server.js';

const files = {
  'a.md': 'needle of a',
  'plan.txt': 'hidden needle of plan',
  'notes/b.md': 'needle of b',
  'notes/c.txt': 'hidden needle of c',
  'src/d.ts': 'needle of d',
  'src/deep/e.ts': 'needle of e',
  'secret/f.md': 'needle of f',
  'secret/g.ts': 'hidden needle of g',
  'payroll/h.txt': 'hidden needle of h',
};

/** By their targets, which may be missing. */
const links = {
  'plan.md': 'plan.txt',
  'gone.md': 'gone.txt',
  'hop.md': 'src/hop.ts',
  'src/hop.ts': '../plan.txt',
  'src/out.ts': '../secret/g.ts',
  'src/none.ts': '../secret/none.ts',
  'src/away': '../secret',
  'src/up': '..',
  'wages.md': 'payroll',
  wages: 'payroll',
};

const tokens: Allowed = {
  all: {},
  md: { paths: ['*.md'] },
  notes: { paths: ['notes/*.md'] },
  src: { paths: ['src/**'] },
  rest: { paths: ['**', '!secret/**'] },
};

/** Make the directory as it was. */
const restore = (directory: string): void => {
  fill(directory, files, links);
};

type Call = readonly [operation: string, params: object];

const edits = [{ old_string: 'needle', new_string: 'x' }];
const anotherHash = 'bb4fb1628bf87182';
const changing = (change: object): Call => ['apply_changes', { changes: [change], dry_run: true }];

/** Calls about what is at a path. @param beside where it may be moved */
function usesOf(path: string, beside: string): Call[] {
  return [
    ['view', { path }],
    ['grep', { path, pattern: 'needle' }],
    ['glob', { path, pattern: '**' }],
    ['write', { path, content: 'x', expected_hash: anotherHash }],
    ['str_replace', { path, old_str: 'needle', new_str: 'x' }],
    ['insert', { path, insert_line: 0, new_str: 'x' }],
    ['apply_edits', { path, edits, dry_run: true }],
    ['delete', { path }],
    ['delete', { path, expected_hash: anotherHash }],
    ['rename', { old_path: path, new_path: beside }],
    changing({ path, delete: true }),
    changing({ path, edits }),
    changing({ path, content: 'x', expected_hash: anotherHash }),
    changing({ path, rename_to: beside }),
    changing({ path, edits, rename_to: beside }),
  ];
}

/** Calls that put something at a path. @param allowed a file that may be moved there */
function placesAt(path: string, allowed: string): Call[] {
  return [
    ['create', { path, content: 'x' }],
    ['write', { path, content: 'x' }],
    ['rename', { old_path: allowed, new_path: path }],
    changing({ path, content: 'x' }),
    changing({ path: allowed, rename_to: path }),
    changing({ path: allowed, edits, rename_to: path }),
    changing({ path, rename_to: path }),
  ];
}

/** A third of the calls, another one for each path: every operation meets every kind of path. */
function takingTurns(calls: readonly Call[], turn: number): Call[] {
  return calls.filter((_, index) => (index + turn) % 3 === 0);
}

/** An answer without what always differs, and with this path as `PATH`. */
function worded({ status, headers, text }: Reply, path: string): string {
  const name = path.split('/').at(-1) ?? '';
  const plain = text
    .replace(/"timestamp":"[^"]*",/g, '')
    .replaceAll(path, 'PATH')
    .replaceAll(`'${name}'`, 'NAME');
  return `${String(status)} ${headers.get('ETag') ?? ''} ${plain}`;
}

/** A file that each may use, and a free path beside it. */
const own: Readonly<Record<string, readonly [allowed: string, beside: string]>> = {
  md: ['a.md', 'free.md'],
  notes: ['notes/b.md', 'notes/free.md'],
  src: ['src/d.ts', 'src/free.ts'],
  rest: ['a.md', 'free.md'],
};

describe('a path that a token does not allow', () => {
  const server = lendTokenServer({}, tokens, { prepare: restore, options: { logLevel: 'silent' } });
  const named = {
    src: [
      ['plan.txt', 'a.md', 'secret', 'secret/g.ts', 'secret/none.ts', 'none/x', 'sr', 'secret/'],
      ['src/../plan.txt', 'src/deep/../../a.md', './/secret//g.ts', 'src\\..\\a.md', 'src/away/../../secret/g.ts'],
      ['SRC/d.ts', 'ｓrc/d.ts', 'src\u200b/d.ts', 'src./d.ts', ' src/d.ts', 'ſrc/d.ts'],
    ],
    notes: [['notes/c.txt', 'notes/none.txt', 'notes/x/b.md', 'a.md', 'notes.md', 'notes/b.md/x', 'notes/b.MD']],
    md: [['plan.txt', 'none.txt', 'notes/c.txt', 'payroll/h.txt', 'payroll', 'A.MD', 'a.mｄ', 'a.md\u200b', 'a.md.']],
    rest: [['secret/f.md', 'secret/none', 'SECRET/f.md', 'ｓecret/f.md', 'secret./f.md', 'x/../secret/f.md']],
  };
  for (const [who, lists] of Object.entries(named)) {
    for (const paths of lists) {
      it(`is refused by all operations, in every place: for ${who}, ${paths.map((path) => JSON.stringify(path)).join(', ')}`, async () => {
        const { call } = server();
        const [allowed, beside] = own[who] ?? ['', ''];
        for (const [index, path] of paths.entries()) {
          const calls = [...usesOf(path, beside), ...placesAt(path, allowed)];
          for (const [operation, params] of index < 2 ? calls : takingTurns(calls, index)) {
            const { status, text } = await call(who, operation, params);
            assert.equal(status, 403, `${operation} ${JSON.stringify(params)}: ${text}`);
            assert.ok(!/needle|hidden/.test(text), text);
          }
        }
        const all = await call('all', 'grep', { pattern: 'needle' });
        assert.match(all.text, /"total_matches":9,/, 'nothing was changed');
      });
    }
  }

  it('is refused behind links, one after another, missing or swapped in the name', async () => {
    const { call } = server();
    const behind = {
      src: ['src/out.ts', 'src/none.ts', 'src/hop.ts', 'src/away', 'src/away/g.ts', 'src/away/none.ts'],
      md: ['plan.md', 'gone.md', 'hop.md', 'wages.md'],
      rest: ['src/out.ts', 'src/away', 'src/away/g.ts', 'src/up/secret/f.md'],
    };
    for (const [who, paths] of Object.entries(behind)) {
      for (const path of paths) {
        for (const [operation, params] of usesOf(path, own[who]?.[1] ?? '')) {
          const { status, text } = await call(who, operation, params);
          assert.equal(status, 403, `${who} ${operation} ${JSON.stringify(params)}: ${text}`);
          assert.ok(!/needle|hidden|plan\.txt|secret\/[^*]|payroll/.test(text.replaceAll(path, '')), text);
        }
      }
    }
    for (const path of ['src/away/x.ts', 'src/up/x.ts', 'src/up/secret/x.ts']) {
      for (const [operation, params] of placesAt(path, 'src/d.ts')) {
        assert.equal((await call('src', operation, params)).status, 403, `${operation} ${path}`);
      }
    }
  });

  it('is refused to the operations on flat names, whatever version is asked for', async () => {
    const { call } = server();
    const versions = [{}, { 'If-None-Match': '*' }, { 'If-Match': '*' }, { 'If-Match': `"${anotherHash}"` }];
    for (const name of ['plan.txt', 'none.txt', 'plan.md', 'gone.md', 'hop.md', 'A.MD']) {
      for (const headers of versions) {
        const read = await call('md', 'read_file', { name }, headers);
        assert.equal(read.status, 'If-Match' in headers ? 400 : 403, `read_file ${name}: ${read.text}`);
        if ('If-None-Match' in headers) continue;
        const edit = { name, edits: [{ line: 1, operation: 'delete' }], create_if_missing: true };
        const edited = await call('md', 'edit_file', edit, headers);
        assert.equal(edited.status, 403, `edit_file ${name}: ${edited.text}`);
        assert.equal(edited.headers.get('ETag'), null);
      }
    }
  });
});

describe('an answer tells nothing of what a token does not allow:', () => {
  const server = lendTokenServer({}, tokens, { prepare: restore, options: { logLevel: 'silent' } });
  const pairs: readonly (readonly [who: string, there: string, missing: string])[] = [
    ['md', 'plan.txt', 'plen.txt'],
    ['md', 'payroll', 'paypoll'],
    ['md', 'payroll/h.txt', 'payroll/i.txt'],
    ['md', 'plan.md', 'gone.md'],
    // What is in the way, or not, shows in no error.
    ['md', 'plan.txt/x.md', 'plen.txt/x.md'],
    ['md', 'payroll/x.md', 'paypoll/x.md'],
    ['md', 'wages/x.md', 'wadges/x.md'],
    ['src', 'secret/g.ts', 'secret/h.ts'],
    ['src', 'src/out.ts', 'src/none.ts'],
    ['src', 'src/away/g.ts', 'src/away/h.ts'],
    ['src', 'src/up/plan.txt', 'src/up/plen.txt'],
    ['notes', 'notes/c.txt', 'notes/d.txt'],
    ['notes', 'secret/f.md', 'secret/z.md'],
    ['rest', 'secret/f.md', 'secret/z.md'],
  ];
  for (const [who, there, missing] of pairs) {
    it(`to ${who}, '${there}' is like '${missing}', which is missing`, async () => {
      const { call } = server();
      const beside = own[who]?.[1] ?? '';
      for (const [index, [operation, params]] of usesOf(there, beside).entries()) {
        const [, same = {}] = usesOf(missing, beside)[index] ?? [];
        const [one, other] = [await call(who, operation, params), await call(who, operation, same)];
        assert.ok(one.status >= 400, one.text);
        assert.equal(worded(one, there), worded(other, missing), `${operation} ${JSON.stringify(params)}`);
      }
    });
  }
});

describe('a view of several files', () => {
  const server = lendTokenServer({}, tokens, { prepare: restore, options: { logLevel: 'silent' } });
  const error = ({ text }: Reply): { data: Record<string, string>; message: string } =>
    (JSON.parse(text) as { error: { data: Record<string, string>; message: string } }).error;

  for (const [who, paths] of Object.entries({
    src: ['plan.txt', 'secret', 'secret/none.ts', 'src/out.ts', 'src/away/g.ts', 'src/up/plan.txt', 'src/../a.md', ''],
    md: ['plan.txt', 'plan.md', 'gone.md', 'payroll', 'wages.md', 'A.MD'],
    rest: ['secret/f.md', 'SECRET/f.md', 'x/../secret/f.md', 'secret/none'],
  })) {
    it(`refuses each that ${who} may not read as if it were alone, and gives the others`, async () => {
      const { call } = server();
      const [allowed = ''] = own[who] ?? [];
      const several = await call(who, 'view', { files: [...paths, allowed].map((path) => ({ path })) });
      assert.equal(several.status, 200);
      const { files } = JSON.parse(several.text) as { files: { path: string; content?: string; error?: object }[] };
      for (const [index, path] of paths.entries()) {
        // Alone, the directory itself may be listed.
        if (path === '') continue;
        const { message, data } = error(await call(who, 'view', { path }));
        assert.deepEqual(files[index], { path, error: { reason: data['reason'], message, details: data['details'] } });
      }
      assert.ok(!/hidden|wages of/.test(several.text), several.text);
      assert.match(files.at(-1)?.content ?? '', /^needle of /);
    });
  }
});

describe('paths of the server and of a token', () => {
  const server = lendTokenServer({}, tokens, {
    prepare: restore,
    options: { logLevel: 'silent', paths: 'src/**,*.md,!secret/**' },
  });

  it('must both allow what is used', async () => {
    const { call } = server();
    for (const [who, path, status] of [
      ['all', 'src/d.ts', 200],
      ['all', 'plan.txt', 403],
      ['all', 'secret/f.md', 403],
      ['src', 'src/d.ts', 200],
      ['src', 'a.md', 403],
      ['md', 'a.md', 200],
      ['md', 'src/d.ts', 403],
      ['md', 'secret/f.md', 403],
      ['notes', 'notes/b.md', 200],
      ['notes', 'notes/c.txt', 403],
    ] as const) {
      const { status: found, text } = await call(who, 'view', { path });
      assert.equal(found, status, `${who} ${path}: ${text}`);
    }
  });

  it('are told apart in refusals', async () => {
    const { call } = server();
    const told = async (who: string): Promise<string> => (await call(who, 'view', { path: 'plan.txt' })).text;
    assert.match(
      await told('all'),
      /"This server allows only src\/\*\*, \*\.md, !secret\/\*\*\. Use a path that matches, or ask the operator/,
    );
    assert.match(
      await told('md'),
      /"This server allows only [^"]*\. This token allows only \*\.md\. Use a path that both allow\."/,
    );
  });

  it('keep cached reads apart, too', async () => {
    const { call } = server();
    for (const [who, status] of [
      ['md', 200],
      ['src', 403],
      ['all', 200],
      ['src', 403],
    ] as const) {
      assert.equal((await call(who, 'read_file', { name: 'a.md' })).status, status);
    }
    assert.equal((await call('all', 'read_file', { name: 'plan.txt' })).status, 403);
  });
});
