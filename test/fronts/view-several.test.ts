/** Spec 17: how much of several files a view gives, and what it says of the others. Cases: test/operations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Results } from '../../src/core/operations.js';
import { lendToSuite, withDirectory } from '../directory.js';
import { connections, type Connected } from './mcp.js';
import { startHttpServer } from './server-process.js';

type Viewed = Results['view'];
type File = NonNullable<Viewed['files']>[number];

const megabyte = 1_048_576;
const numbered = Array.from({ length: 20_000 }, (_, index) => `${String(index + 1)}\n`).join('');
const named = (...paths: readonly string[]): { path: string }[] => paths.map((path) => ({ path }));
const noRoom = (path: string): File => ({
  path,
  error: {
    reason: 'file_too_large',
    message: 'There is no room for it in this answer',
    details: 'View it in another call, with those after it.',
  },
});

interface Told {
  readonly texts: readonly string[];
  readonly structured: Viewed | undefined;
  readonly isError: unknown;
}

async function view({ client }: Connected, given: Record<string, unknown>): Promise<Told> {
  const { content, structuredContent, isError } = await client.callTool({ name: 'view', arguments: given });
  const texts = (content as { text: string }[]).map(({ text }) => text);
  return { texts, structured: structuredContent as Viewed | undefined, isError };
}

describe('a view of several files for a model', () => {
  let connected: Connected;
  const files = {
    'a.txt': 'one\ntwo\n',
    'b.txt': 'three',
    numbered,
    'one-line': '😀'.repeat(60_000),
    'bytes.bin': Buffer.alloc(50_000, 0xff),
    'exact.txt': `${'x'.repeat(39_999 - '==> exact.txt <==\n'.length)}\n`,
  };
  lendToSuite(files, async (directory) => {
    connected = await connections['sdk 1.x over stdio'](directory, { toolset: 'agent' });
    return connected.end;
  });

  it('is one page: it cuts the text that is too long, and names the files after it', async () => {
    const { texts, structured } = await view(connected, {
      files: named('a.txt', 'numbered', 'b.txt', 'none', 'bytes.bin'),
    });
    const [text = ''] = texts;
    assert.ok(text.length <= 40_000 && text.length > 39_000, String(text.length));
    const [, last = ''] =
      /^==> a\.txt <==\none\ntwo\n\n==> numbered \(lines 1-(\d+) of 20000\) <==\n1\n2\n/.exec(text) ?? [];
    const end = `\n${last}\n\n[Only lines 1-${last} are above: the rest is too long for one answer. Go on with start_line ${Number(last) + 1}.]`;
    assert.ok(
      text.endsWith(
        `${end}\n\n[There is no room in this answer for b.txt, none, bytes.bin. View them in another call.]`,
      ),
      text.slice(-300),
    );
    const given = numbered.slice(0, numbered.indexOf(`\n${last}\n`) + last.length + 2);
    assert.deepEqual(structured, {
      type: 'files',
      files: [
        { path: 'a.txt', type: 'file', content: 'one\ntwo\n', encoding: 'utf-8', size: 8 },
        {
          path: 'numbered',
          type: 'file',
          content: given,
          encoding: 'utf-8',
          size: numbered.length,
          total_lines: 20_000,
          range_requested: { start_line: 1, end_line: Number(last) },
        },
        ...['b.txt', 'none', 'bytes.bin'].map(noRoom),
      ],
      truncated: true,
    });
  });

  it('goes on where it was cut, with its bounds', async () => {
    const { texts } = await view(connected, { files: [{ path: 'numbered', start_line: 7, end_line: 19_000 }] });
    const [, last = ''] = /^==> numbered \(lines 7-(\d+) of 20000\) <==\n7\n8\n/.exec(texts[0] ?? '') ?? [];
    assert.ok(texts[0]?.endsWith(` Go on with start_line ${Number(last) + 1} and end_line 19000.]`));
    const rest = await view(connected, { files: [{ path: 'numbered', start_line: 19_999 }, { path: 'b.txt' }] });
    assert.deepEqual(rest.texts, [
      '==> numbered (lines 19999-20000 of 20000) <==\n19999\n20000\n\n==> b.txt <==\nthree\n[no line break at the end]',
    ]);
    assert.equal(rest.structured?.truncated, false);
  });

  it('is not cut if it has exactly as many characters as fit', async () => {
    const { texts, structured } = await view(connected, { files: named('exact.txt') });
    assert.equal(texts[0]?.length, 40_000);
    assert.equal(structured?.truncated, false);
    const more = await view(connected, { files: named('exact.txt', 'b.txt') });
    assert.equal(more.structured?.truncated, true);
    assert.ok(Array.from(more.texts[0] ?? '').length <= 40_000);
  });

  it('gives a part of a line that is too long only if it comes first', async () => {
    const first = await view(connected, { files: named('one-line', 'b.txt') });
    assert.match(
      first.texts[0] ?? '',
      /^==> one-line \(lines 1-1 of 1\) <==\n😀+…\n\n\[Only the first \d+ characters of line 1 /u,
    );
    assert.ok(Array.from(first.texts[0] ?? '').length <= 40_000);
    const second = await view(connected, { files: named('b.txt', 'one-line') });
    assert.equal(
      second.texts[0],
      '==> b.txt <==\nthree\n[no line break at the end]\n\n[There is no room in this answer for one-line. View it in another call.]',
    );
    assert.deepEqual(second.structured?.files?.[1], noRoom('one-line'));
  });

  it('names bytes that are too long as base64, and gives what comes after them', async () => {
    const { texts, structured } = await view(connected, { files: named('bytes.bin', 'a.txt') });
    assert.deepEqual(texts, [
      '==> bytes.bin <==\nError: There is no room for it in this answer\nIt is not text: view it alone.\n\n==> a.txt <==\none\ntwo\n',
    ]);
    assert.equal(structured?.truncated, true);
    assert.equal(structured.files?.[1]?.content, 'one\ntwo\n');
  });

  it('has the hash of each file beside its text if it was asked for', async () => {
    const { texts } = await view(connected, { files: named('a.txt', 'none', 'b.txt'), return_hash: true });
    assert.match(texts[1] ?? '', /^Hash: [0-9a-f]{16} a\.txt\nHash: [0-9a-f]{16} b\.txt$/);
  });

  it('forgives what is easily meant: a list in a string, a single file, a pair of bounds', async () => {
    const expected = '==> a.txt (lines 1-1 of 2) <==\none\n';
    for (const files of [
      '[{"path":"a.txt","end_line":1}]',
      { path: 'a.txt', end_line: 1 },
      [{ path: 'a.txt', view_range: [1, 1] }],
    ]) {
      assert.deepEqual((await view(connected, { files, path: null })).texts, [expected]);
    }
    assert.deepEqual((await view(connected, { files: [{ path: 'b.txt' }], path: '', end_line: null })).isError, false);
    assert.deepEqual((await view(connected, { path: 'a.txt', files: [] })).texts, ['one\ntwo\n']);
    assert.match((await view(connected, { path: '', files: [] })).texts[0] ?? '', /^a\.txt \(8 bytes\)\n/);
  });
});

describe('a view of several files within the largest message', () => {
  const large = {
    'a.txt': `${'a'.repeat(99)}\n`.repeat(30_000),
    'b.txt': `${'"'.repeat(99)}\n`.repeat(30_000),
    'c.txt': 'c',
  };

  for (const textOnly of [false, true]) {
    it(`is cut at it where there is no page${textOnly ? ', text only' : ''}`, () =>
      withDirectory(large, async (directory) => {
        const options = { toolset: 'agent', mcpMaxChars: 0, ...(textOnly ? { mcpTextOnly: true } : {}) };
        const connected = await connections['client 2.x over stdio'](directory, options);
        try {
          const told = await view(connected, { files: named('a.txt', 'b.txt', 'b.txt', 'c.txt') });
          assert.ok(Buffer.byteLength(JSON.stringify(told)) <= 9 * megabyte);
          assert.equal(told.isError, false);
          assert.match(told.texts[0] ?? '', /\n\n==> b\.txt (?:\(lines 1-\d+ of 30000\) )?<==\n""/);
          assert.match(
            told.texts[0] ?? '',
            /\n\[There is no room in this answer for .*c\.txt\. View .* in another call\.\]$/,
          );
        } finally {
          await connected.end();
        }
      }));
  }
});

describe('a view of several files for a program', () => {
  const full = 'x'.repeat(megabyte - 1) + '\n';
  const files = {
    'a.txt': full,
    'b.bin': Buffer.alloc(megabyte, 0xff),
    'c.txt': 'c\n',
    'd.txt': `d\n${'x'.repeat(megabyte - 2)}`,
  };

  it('gives four times what a file may have, and names the rest', () =>
    withDirectory(files, async (directory) => {
      const server = await startHttpServer(directory, { toolset: 'storage', maxSize: 1 });
      const ask = async (...asked: readonly object[]): Promise<Viewed> =>
        (await (await server.post('/view', { files: asked })).json()) as Viewed;
      try {
        const four = named('a.txt', 'b.bin', 'a.txt', 'a.txt');
        const fits = await ask(...four);
        assert.equal(fits.truncated, false);
        assert.ok(fits.files?.[3]?.content === full);
        const more = await ask(...four, ...named('c.txt', 'none'));
        assert.equal(more.truncated, true);
        assert.deepEqual(more.files?.slice(4), [noRoom('c.txt'), noRoom('none')]);
        assert.ok(more.files[0]?.content === full);
        // Of a range, only its lines count; but what was left out is not made up for by something smaller.
        const line = { path: 'd.txt', end_line: 1 };
        const lines = await ask(...named('a.txt', 'a.txt', 'a.txt'), line, line, ...named('a.txt'), line);
        assert.deepEqual(
          lines.files?.map(({ content, error }) => error?.reason ?? content?.length),
          [megabyte, megabyte, megabyte, 2, 2, 'file_too_large', 'file_too_large'],
        );
        const second = await ask(...four.slice(1), line, line, { path: 'd.txt', start_line: 2 });
        assert.deepEqual(second.files?.[5], noRoom('d.txt'));
      } finally {
        await server.stop();
      }
    }));

  it('has no ETag, and is never known', () =>
    withDirectory({ 'a.txt': 'a' }, async (directory) => {
      const server = await startHttpServer(directory, { toolset: 'storage' });
      try {
        const answer = await fetch(`${server.url}/view`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'If-None-Match': '*' },
          body: JSON.stringify({ files: named('a.txt') }),
        });
        assert.deepEqual([answer.status, answer.headers.get('ETag')], [200, null]);
      } finally {
        await server.stop();
      }
    }));

  it('is one line of the log that names all files, and has one for each that may not be read', () =>
    withDirectory({ 'a.txt': 'a', 'b.txt': 'b' }, async (directory) => {
      const paths = Array.from({ length: 23 }, (_, index) => (index === 1 ? 'b.txt' : 'a.txt'));
      const server = await startHttpServer(directory, { toolset: 'storage', paths: '!b.txt', logLevel: 'debug' });
      await server.post('/view', { files: named(...paths) });
      await server.stop();
      const lines = server
        .errors()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      assert.deepEqual(
        lines
          .filter(({ operation }) => operation === 'view')
          .map(({ level, filename, viewed, viewed_more, msg }) => [level, filename, viewed, viewed_more, msg]),
        [
          ['warn', 'a.txt', undefined, undefined, 'Permission denied: b.txt'],
          ['debug', 'a.txt', paths.slice(0, 20), 3, 'done'],
        ],
      );
    }));
});
