/** Spec 16: a wrong file of tokens starts nothing, and its problems name the place, never a token or a hash. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isTokenName, readTokens, type Token } from '../../src/access/token-file.js';
import { withDirectory } from '../directory.js';

const hash = 'ab12'.repeat(16);
const other = 'cd34'.repeat(16);
const token = (members: object): object => ({ name: 'agent-7', sha256: hash, access: 'write', ...members });

/** Lend the path of such a file. */
function withFile<Result>(
  content: string | Uint8Array,
  use: (path: string) => Result | Promise<Result>,
): Promise<Result> {
  return withDirectory({ 'tokens.json': content }, (directory) => {
    const path = join(directory, 'tokens.json');
    chmodSync(path, 0o600);
    return use(path);
  });
}

/** What a file says, as JSON or as text. */
function fileOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function tokensIn(content: unknown): Promise<readonly Token[]> {
  return withFile(fileOf(content), (path) => {
    const { tokens, problems } = readTokens({ label: '--tokens', path });
    assert.deepEqual(problems, []);
    return tokens;
  });
}

/** The problems of a file, each without its path and what is expected instead. */
function problemsAt(path: string): string[] {
  return readTokens({ label: '--tokens', path }).problems.map((problem) => {
    const [, found = ''] = /^--tokens: "[^"]*" (.*); expected \{"tokens": .* makes one$/s.exec(problem) ?? [];
    return found;
  });
}

function problemsIn(content: unknown): Promise<string[]> {
  return withFile(fileOf(content), problemsAt);
}

describe('a file of tokens', () => {
  it('says who may come in, and what for', async () => {
    const [seven, reader, narrow] = await tokensIn({
      tokens: [
        token({}),
        { name: 'reader', sha256: other.toUpperCase(), access: 'read' },
        { paths: ['src/**', '!src/{a,b}'], access: 'read', name: 'ä "漢" 😀', sha256: '0'.repeat(64) },
      ],
    });
    assert.deepEqual(seven, { hashes: [Buffer.from(hash, 'hex')], caller: { name: 'agent-7', access: 'write' } });
    assert.deepEqual(reader, { hashes: [Buffer.from(other, 'hex')], caller: { name: 'reader', access: 'read' } });
    assert.deepEqual(narrow?.caller.readable?.limits, { token: ['src/**', '!src/{a,b}'] });
  });

  it('says what a token may change, and how it is told while it is changed', async () => {
    const [both, changes] = await tokensIn({
      tokens: [
        token({ sha256: [hash, other.toUpperCase()], paths: ['docs/**'], write: ['docs/a/**'] }),
        { name: 'b', sha256: ['0'.repeat(64)], access: 'write', write: ['!secret/**'] },
      ],
    });
    assert.deepEqual(both?.hashes, [Buffer.from(hash, 'hex'), Buffer.from(other, 'hex')]);
    assert.deepEqual(both.caller.readable?.limits, { token: ['docs/**'] });
    assert.deepEqual(both.caller.writable?.limits, { token: ['docs/**'], changes: ['docs/a/**'] });
    assert.equal(changes?.hashes.length, 1);
    assert.equal(changes.caller.readable, undefined, 'it may read everything');
    assert.deepEqual(changes.caller.writable?.limits, { changes: ['!secret/**'] });
  });

  it('may have no token at all, or thousands', async () => {
    assert.deepEqual(await tokensIn({ tokens: [] }), []);
    const many = Array.from({ length: 10_000 }, (_, index) =>
      token({ name: `agent-${String(index)}`, sha256: index.toString(16).padStart(64, '0') }),
    );
    assert.equal((await tokensIn({ tokens: many })).length, 10_000);
  });

  it('gives different lists of paths different keys, whatever is in them', async () => {
    const lists = [['a', 'b'], ['a\nb'], ['a, b'], ['a","b'], ['a'], undefined];
    const tokens = lists.map((paths, index) =>
      token({
        name: String(index),
        sha256: String(index).padStart(64, '0'),
        ...(paths === undefined ? {} : { paths }),
      }),
    );
    const keys = (await tokensIn({ tokens })).map(({ caller }) => caller.readable?.key);
    assert.equal(new Set(keys).size, lists.length);
  });

  const faulty: readonly (readonly [title: string, content: unknown, ...problems: RegExp[]])[] = [
    ['is empty', '', /^is not JSON/],
    ['ends too early', `{\n"tokens": [{"name": "a",\n"sha256": "${hash}`, /^is not JSON from line 3 on$/],
    ['has a comment', `{"tokens": []} // ${hash}`, /^is not JSON from line 1 on$/],
    ['nests without end', '['.repeat(100_000), /^is not JSON/],
    ['is a list', [token({})], /^line 1: (?:the file must be an object|tokens must be a list)$/],
    ['is the token itself', JSON.stringify(hash), /^line 1: (?:the file must be an object|tokens must be a list)$/],
    ['has no list', {}, /^line 1: (?:the file must be an object|tokens must be a list)$/],
    ['has an object for the list', '{"tokens":\n{}}', /^line 2: tokens must be a list$/],
    ['has two lists', `{"tokens": [],\n"tokens": []}`, /^line 2: tokens is there twice$/],
    ['has an unknown member', '{"tokens": [],\n"version": 1}', /^line 2: "version" is unknown \(known: tokens\)$/],
    ['has a text for a token', `{"tokens": [\n"${hash}"]}`, /^line 2: tokens\[0\] must be an object$/],
    [
      'has an empty token',
      '{"tokens": [\n\n{}]}',
      /^line 3: tokens\[0\]\.name is missing$/,
      /^line 3: tokens\[0\]\.sha256 is missing$/,
      /^line 3: tokens\[0\]\.access is missing$/,
    ],
    ['has a slip in a member', { tokens: [token({ acess: 'read' })] }, /^line 1: tokens\[0\]\."acess" is unknown/],
    [
      'repeats a name',
      { tokens: [token({}), token({ sha256: other })] },
      /^line 1: tokens\[1\]\.name repeats "agent-7"/,
    ],
    [
      'repeats a hash in other digits',
      { tokens: [token({}), token({ name: 'b', sha256: hash.toUpperCase() })] },
      /^line 1: tokens\[1\]\.sha256 is in the file already: each token needs its own$/,
    ],
    [
      'repeats a hash in a list',
      { tokens: [token({}), token({ name: 'b', sha256: [other, hash] })] },
      /^line 1: tokens\[1\]\.sha256\[1\] is in the file already/,
    ],
    ...[[], Array.from({ length: 5 }, (_, index) => String(index).repeat(64))].map(
      (sha256) =>
        [
          `has ${String(sha256.length)} hashes for a token`,
          { tokens: [token({ sha256 })] },
          /^line 1: tokens\[0\]\.sha256 must be 64 hexadecimal digits, or a list of 1 to 4 such texts$/,
        ] as const,
    ),
    [
      'has a list with what is no hash',
      { tokens: [token({ sha256: [hash, 'x'] })] },
      /^line 1: tokens\[0\]\.sha256\[1\] must be 64 hexadecimal digits$/,
    ],
    [
      'says what a token that only reads may change',
      { tokens: [token({ access: 'read', write: ['src/**'] })] },
      /^line 1: tokens\[0\]\.write is only for tokens with "access": "write"$/,
    ],
    [
      'has nothing that a token may change',
      { tokens: [token({ write: [] })] },
      /^line 1: tokens\[0\]\.write must be a list of 1 to 1000 patterns; leave it out to set no limit$/,
    ],
    [
      'has what is no pattern for what a token may change',
      { tokens: [token({ write: ['src/**', '/etc'] })] },
      /^line 1: tokens\[0\]\.write\[1\] begins with a slash/,
    ],
    [
      'repeats a member',
      `{"tokens": [{"name": "a", "sha256": "${hash}", "access": "read",\n"access": "write"}]}`,
      /^line 2: tokens\[0\]\.access is there twice$/,
    ],
    ...['', 'x'.repeat(101), 'a\nb', '\0', '\ud800', 7, null, ['a']].map(
      (name) =>
        [
          `has the name ${JSON.stringify(name).slice(0, 12)}`,
          { tokens: [token({ name })] },
          /^line 1: tokens\[0\]\.name must be a text of 1 to 100 characters/,
        ] as const,
    ),
    ...[hash.slice(1), `${hash}0`, `${hash.slice(1)}g`, `0x${hash.slice(2)}`, ` ${hash}`, '', 7, null].map(
      (sha256) =>
        [
          `has the hash ${JSON.stringify(sha256).slice(0, 5)} of ${String(JSON.stringify(sha256).length)} characters`,
          { tokens: [token({ sha256 })] },
          /^line 1: tokens\[0\]\.sha256 must be 64 hexadecimal digits$/,
        ] as const,
    ),
    ...['Write', 'admin', '', true, null, ['read']].map(
      (access) =>
        [
          `has the access ${JSON.stringify(access)}`,
          { tokens: [token({ access })] },
          /^line 1: tokens\[0\]\.access must be "read" or "write"$/,
        ] as const,
    ),
    ...['src/**', [], {}, null, Array<string>(1001).fill('a')].map(
      (paths) =>
        [
          `has the paths ${JSON.stringify(paths).slice(0, 12)}`,
          { tokens: [token({ paths })] },
          /^line 1: tokens\[0\]\.paths must be a list of 1 to 1000 patterns/,
        ] as const,
    ),
    ...(
      [
        ['/etc/**', /begins with a slash/],
        ['src/', /ends with a slash/],
        ['../**', /leads upwards/],
        ['src/../../**', /leads upwards/],
        ['[a', /without its \]/],
        ['{a', /without its \}/],
        ['', /names nothing/],
        ['!', /names nothing/],
        [7, /must be a pattern/],
        ['a'.repeat(5000), /is longer than/],
        // It is no pattern regardless of case, as an exclusion is taken.
        ['![A-_]*', /runs backwards/],
      ] as const
    ).map(
      ([pattern, problem]) =>
        [
          `has the pattern ${JSON.stringify(pattern).slice(0, 20)}`,
          { tokens: [token({ paths: ['src/**', pattern] })] },
          new RegExp(`^line 1: tokens\\[0\\]\\.paths\\[1\\] .*${problem.source}`),
        ] as const,
    ),
  ];
  for (const [title, content, ...problems] of faulty) {
    it(`is refused if it ${title}`, async () => {
      const found = await problemsIn(content);
      assert.equal(found.length, problems.length, found.join('\n'));
      for (const [index, problem] of problems.entries()) assert.match(found[index] ?? '', problem);
    });
  }

  it('is told all of its problems at once', async () => {
    const found = await problemsIn({ tokens: [token({ access: 'x' }), token({ name: '', paths: ['a', '/'] }), 7] });
    assert.equal(found.length, 5, found.join('\n'));
  });
});

describe('a problem of a file of tokens', () => {
  const secret = 'c0ffee'.repeat(10);
  for (const [title, content] of [
    ['a hash that is too short', { tokens: [token({ sha256: secret })] }],
    ['a hash for the access', { tokens: [token({ access: secret })] }],
    ['a hash among the members', { tokens: [token({ [secret]: true })] }],
    ['a hash for a name of the file', { [secret]: [] }],
    ['a hash for the list', { tokens: secret }],
    ['a hash for a token', { tokens: [secret] }],
    ['a hash in a pattern', { tokens: [token({ paths: [`/${secret}`] })] }],
    ['a hash for the paths', { tokens: [token({ paths: secret })] }],
    ['a hash without quotes', `{"tokens": [{"sha256": ${secret}}]}`],
    ['a hash after the end', `{"tokens": []} ${secret}`],
    ['a hash that has no end', `{"tokens": [{"sha256": "${secret}`],
    ['a hash in two lines', `{"tokens": [{"sha256": "${secret}\n"}]}`],
    ['a hash with a wrong escape', `{"tokens": [{"sha256": "${secret}\\x"}]}`],
  ] as const) {
    it(`does not repeat ${title}`, async () => {
      const path = await withFile(fileOf(content), (each) => {
        const told = readTokens({ label: '--tokens', path: each }).problems.join('\n');
        assert.notEqual(told, '');
        assert.ok(!/c0f/i.test(told), told);
        return each;
      });
      assert.ok(path.endsWith('tokens.json'));
    });
  }
});

describe('the way to a file of tokens', () => {
  const isWindows = process.platform === 'win32' && 'modes say nothing there';
  for (const [mode, isRefused] of [
    [0o600, false],
    [0o400, false],
    [0o700, false],
    [0o640, true],
    [0o604, true],
    [0o644, true],
    [0o666, true],
  ] as const) {
    it(`is ${isRefused ? 'refused' : 'taken'} with the mode ${mode.toString(8)}`, { skip: isWindows }, () =>
      withFile(fileOf({ tokens: [token({})] }), (path) => {
        chmodSync(path, mode);
        const problem = /^can be read or changed by others than its owner \(run chmod 600 on it\)$/;
        const found = problemsAt(path);
        if (isRefused) assert.match(found.join('\n'), problem);
        else assert.deepEqual(found, []);
      }),
    );
  }

  it('may be a link, whose target must not be readable by others', { skip: isWindows }, () =>
    withFile(fileOf({ tokens: [] }), (path) => {
      symlinkSync(path, `${path}.link`);
      assert.deepEqual(problemsAt(`${path}.link`), []);
      chmodSync(path, 0o644);
      assert.equal(problemsAt(`${path}.link`).length, 1);
    }),
  );

  it('may be a credential of systemd, which its group seems to read', { skip: isWindows }, () =>
    withFile(fileOf({ tokens: [] }), (path) => {
      const before = process.env['CREDENTIALS_DIRECTORY'];
      try {
        chmodSync(path, 0o440);
        process.env['CREDENTIALS_DIRECTORY'] = join(path, '..');
        assert.deepEqual(problemsAt(path), []);
        chmodSync(path, 0o444);
        assert.equal(problemsAt(path).length, 1);
        process.env['CREDENTIALS_DIRECTORY'] = join(path, '../..');
        chmodSync(path, 0o440);
        assert.equal(problemsAt(path).length, 1);
      } finally {
        if (before === undefined) delete process.env['CREDENTIALS_DIRECTORY'];
        else process.env['CREDENTIALS_DIRECTORY'] = before;
      }
    }),
  );

  it('leads to a regular file of a sensible size', { skip: isWindows }, () =>
    withFile(Buffer.alloc(4_194_305, ' '), (path) => {
      assert.deepEqual(problemsAt(path), ['is larger than 4 MB']);
      rmSync(path);
      assert.deepEqual(problemsAt(path), ['does not exist']);
      mkdirSync(path);
      assert.deepEqual(problemsAt(path), ['is a directory']);
      writeFileSync(`${path}.beside`, '');
      assert.deepEqual(problemsAt(join(`${path}.beside`, 'x')), ['is not readable for this process (ENOTDIR)']);
      // To read it would wait for a writer, and a server with it.
      execFileSync('mkfifo', ['-m', '600', `${path}.fifo`]);
      assert.deepEqual(problemsAt(`${path}.fifo`), ['is not a regular file']);
    }),
  );
});

describe('the name of a token', () => {
  for (const [name, isAllowed] of [
    ['agent-7', true],
    ['x'.repeat(100), true],
    ['ä "漢" \\ 😀', true],
    ['x'.repeat(101), false],
    ['', false],
    ['a\tb', false],
    ['a\u0085b', false],
    ['\udc00', false],
  ] as const) {
    it(`may ${isAllowed ? '' : 'not '}be ${JSON.stringify(name.slice(0, 12))}`, () => {
      assert.equal(isTokenName(name), isAllowed);
    });
  }
});
