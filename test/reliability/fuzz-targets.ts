/** Every parser that clients can reach, each with plausible noise and the properties of its verdict. */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import fc, { type Arbitrary } from '../fast-check.js';
import { joined } from '../../src/core/json/scattered-bytes.js';
import { failure, OperationError } from '../../src/core/errors.js';
import { parseJson } from '../../src/core/json/json-body.js';
import { piecesOf } from '../../src/call/parts.js';
import { Budget } from '../../src/call/budget.js';
import { matchesIfNone, parseIfMatch } from '../../src/protocols/rest/conditions.js';
import { isJson } from '../../src/protocols/rest/content-type.js';
import { createOrigins } from '../../src/access/origins.js';
import { JsonRpc } from '../../src/protocols/json-rpc/json-rpc.js';
import { RequestHead, settleFraming } from '../../src/transports/http/guard.js';
import { LineSplitter } from '../../src/transports/stdio/line-splitter.js';
import { checkFilename } from '../../src/core/names/filename.js';
import { checkPath, parsePath } from '../../src/core/names/path.js';
import { bytesOfBase64 } from '../../workers/answers/base64.js';
import { Glob } from '../../src/core/globs/glob.js';
import { matchText } from '../../workers/search/match.js';
import { Pattern } from '../../workers/search/pattern.js';
import { atOnce } from '../../workers/turn.js';
import { mb, siteOf, testConfig } from '../transports/http/harness.js';

/** Words of a language, with an occasional foreign one. */
function noise(...words: readonly string[]): Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...words) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  );
  return fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
}

/** A JSON document, intact or damaged. */
function damaged(document: Arbitrary<unknown>): Arbitrary<Buffer> {
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 2 });
  return fc.tuple(document, damage, fc.nat(30)).map(([value, changes, cut]) => {
    const bytes = Buffer.from(JSON.stringify(value));
    for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
    return cut < 3 ? bytes.subarray(0, bytes.length - cut) : bytes;
  });
}

const methods = [
  'read_file',
  'edit_file',
  'view',
  'create',
  'write',
  'rename',
  'apply_edits',
  'initialize',
  'ping',
  'tools/list',
];
const methodsOfMcp = ['tools/call', 'server/discover', 'notifications/cancelled', 'logging/setLevel', '__proto__', ''];
const params = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.record(
    {
      name: fc.oneof(fc.constantFrom(...methods), fc.string()),
      arguments: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.record({ name: fc.string(), edits: fc.jsonValue() })),
      path: fc.string(),
      edits: fc.jsonValue({ maxDepth: 2 }),
      requestId: fc.jsonValue({ maxDepth: 1 }),
      protocolVersion: fc.oneof(fc.constantFrom('2025-03-26', '2025-11-25'), fc.jsonValue({ maxDepth: 1 })),
      _meta: fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.record({
          'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constant('2026-07-28'), fc.jsonValue({ maxDepth: 1 })),
        }),
      ),
    },
    { requiredKeys: [] },
  ),
);
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: fc.jsonValue() }),
    id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue({ maxDepth: 1 })),
    method: fc.oneof(fc.constantFrom(...methods, ...methodsOfMcp), fc.jsonValue({ maxDepth: 1 })),
    params,
  },
  { requiredKeys: [] },
);
const messages = damaged(fc.oneof({ weight: 4, arbitrary: message }, { weight: 1, arbitrary: fc.array(message) }));

/** No requested file exists, so nothing is executed. */
const refusal = failure('not_found', 'File not found');
const config = testConfig({ toolsets: ['files', 'storage', 'edits', 'search', 'changes'] });
const site = siteOf(() => refusal, { config });
const budget = new Budget(mb);
const origins = createOrigins(config);

const headerName = fc.constantFrom(
  'host',
  'content-length',
  'transfer-encoding',
  'content-type',
  'origin',
  'if-match',
  'if-none-match',
  'x-request-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
);
const headerValue = fc.oneof(
  noise(
    'chunked',
    'gzip',
    ', ',
    '5',
    '0',
    '+',
    '-',
    ' ',
    '\t',
    '"',
    'localhost',
    'application/json',
    '; charset=',
    'utf-8',
    '*',
  ),
  fc.constantFrom('localhost', 'chunked', '12', '2026-07-28', 'tools/call', '=?base64?YQ==?=', 'http://localhost'),
);
const headers = fc.array(fc.tuple(headerName, headerValue), { maxLength: 6 });

function headOf(path: string, lines: readonly (readonly [string, string])[]): RequestHead {
  const head = new RequestHead('POST', path);
  for (const [name, value] of lines) head.take(name, value);
  return head;
}

const valuesOf = (lines: readonly (readonly [string, string])[], name: string): string[] =>
  lines.filter(([each]) => each === name).map(([, value]) => value);

const searched = Buffer.from(`\ufeffa\r\n${'ab-é '.repeat(400)}\r😀\n\nA`);
const page = { after: 0, limit: 3, context: 1, characters: Infinity };

function refusedOr(search: () => void): void {
  try {
    search();
  } catch (error) {
    assert.ok(error instanceof OperationError && error.failure.kind === 'invalid_params', String(error));
  }
}

type Property = Parameters<typeof fc.assert>[0];

/** By name; each is to be given to fc.assert. */
export const targets: Readonly<Record<string, Property>> = {
  'JSON of a request': fc.property(damaged(fc.jsonValue()), (bytes) => {
    const parsed = parseJson(bytes);
    const text = bytes.toString();
    let expected: unknown;
    try {
      expected = isUtf8(bytes) && !text.startsWith('\ufeff') ? { value: JSON.parse(text) as unknown } : undefined;
    } catch {
      expected = undefined;
    }
    assert.deepEqual(parsed.ok ? { value: parsed.value } : undefined, expected);
  }),

  'JSON-RPC and MCP messages on a line': fc.asyncProperty(fc.array(messages, { maxLength: 4 }), async (lines) => {
    const protocol = new JsonRpc({ config, call: () => refusal, budget });
    for (const line of lines) {
      const answer = await protocol.answer(line);
      if (answer === null) continue;
      const text = Buffer.concat(piecesOf(answer)).toString();
      assert.ok(!text.includes('\n') && !text.includes('-32603'), text);
      for (const each of [JSON.parse(text) as unknown].flat()) {
        assert.ok(typeof each === 'object' && each !== null && 'id' in each, text);
        assert.ok('result' in each !== 'error' in each, text);
      }
    }
  }),

  'POST bodies to MCP under any headers': fc.asyncProperty(messages, headers, async (body, lines) => {
    const head = headOf('/mcp', [['host', 'localhost'], ['content-type', 'application/json'], ...lines.slice(0, 3)]);
    const verdict = site.judge(head);
    const answer = 'run' in verdict ? await verdict.run(body) : verdict;
    assert.ok([200, 202, 400, 403, 404].includes(answer.status), `${String(answer.status)} ${body.toString()}`);
    if (answer.body !== null && answer.body.length > 0) JSON.parse(joined(answer.body).toString());
  }),

  'POST bodies to an operation under any headers': fc.asyncProperty(
    damaged(params),
    headers,
    fc.constantFrom('/read_file', '/edit_file', '/create', '/apply_edits', '/list_files'),
    async (body, lines, path) => {
      const verdict = site.judge(headOf(path, [['host', 'localhost'], ...lines]));
      const answer = 'run' in verdict ? await verdict.run(body) : verdict;
      assert.ok([400, 403, 404].includes(answer.status), `${String(answer.status)} ${body.toString()}`);
      assert.ok(answer.body !== null && 'error' in (JSON.parse(joined(answer.body).toString()) as object));
    },
  ),

  'the end of a request': fc.property(headers, (lines) => {
    const head = headOf('/edit_file', lines);
    if (settleFraming(head) !== null) return;
    const [lengths, encodings] = [valuesOf(lines, 'content-length'), valuesOf(lines, 'transfer-encoding')];
    assert.equal(valuesOf(lines, 'host').length, 1);
    assert.ok(lengths.length + encodings.length <= 1);
    assert.ok(encodings.every((value) => value === 'chunked'));
    assert.ok(lengths.every((value) => /^\d+$/.test(value)));
    assert.deepEqual([head.chunked, head.bodyLength], [encodings.length === 1, Number(lengths[0] ?? 0)]);
  }),

  'hosts and origins': fc.property(
    noise('localhost', '127.0.0.1', '[::1]', '.', ':', '80', 'evil', '@', '/', ',', '%', '\\', '[', ']'),
    fc.option(noise('http://', 'https://', 'localhost', '127.0.0.1', ':', '8080', 'null', 'evil', '@', '/'), {
      nil: undefined,
    }),
    (host, origin) => {
      if (origins.check(host, origin) !== null) return;
      const { hostname } = new URL(`http://${host}`);
      assert.match(hostname, /^(?:.*\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/);
      if (origin !== undefined) assert.equal(new URL(origin).host, new URL(`http://${host}`).host);
    },
  ),

  'content types': fc.property(
    noise('application/json', 'text/plain', ';', ' ', 'charset', '=', 'utf-8', '"utf8"', 'UTF_8', 'latin1', ','),
    (value) => {
      if (!isJson(value)) return;
      assert.match(value, /^\s*application\/json\s*(?:;|$)/i);
      assert.doesNotMatch(value, /charset\s*=[^;]*latin1/i);
    },
  ),

  'entity tags': fc.property(
    noise('"', 'W/', ',', ' ', 'abc', '*', '""', 'a,b', '\\'),
    fc.array(fc.stringMatching(/^[0-9a-f]{16}$/), { maxLength: 5 }),
    (junk, hashes) => {
      parseIfMatch(junk);
      matchesIfNone(junk, 'abc');
      const header = hashes.map((hash, index) => `${index % 2 === 0 ? '' : 'W/'}"${hash}"`).join(' , ');
      if (hashes.length === 0) return;
      assert.deepEqual(
        parseIfMatch(header),
        hashes.filter((_, index) => index % 2 === 0),
      );
      assert.ok(hashes.every((hash) => matchesIfNone(header, hash)));
    },
  ),

  paths: fc.property(
    noise('..', '.', '/', '\\', 'a', '.file-editor', '.FILE-EDITOR', ' ', 'C:', '\0', '~', '%2e%2e', 'ﬁle', '\u200d'),
    (path) => {
      if (checkPath('path', path, { windowsNames: false }) !== null) return;
      const { steps } = parsePath(path);
      const resolved = posix.join('/base/dir', path.replaceAll('\\', '/'));
      assert.ok(resolved === '/base/dir' || resolved === '/base/dir/' || resolved.startsWith('/base/dir/'), path);
      assert.equal(posix.join('/base/dir', ...steps), resolved.replace(/(.)\/$/, '$1'));
      assert.ok(!path.includes('\0') && !/(?:^|[/\\])\.file-editor[. ]*(?:[/\\]|$)/i.test(path), path);
    },
  ),

  'file names': fc.property(
    noise('a', '.', '..', '/', '\\', ' ', 'CON', 'nul.txt', ':', '\0', '\n', 'é', '.file-editor'),
    (name) => {
      if (checkFilename(name, 'portable') === null) assert.match(name, /^[a-zA-Z0-9._-]{1,255}$/);
      if (checkFilename(name, 'unicode') !== null) return;
      assert.doesNotMatch(name, /^\.{0,2}$|[\0-\x1f/\\]|^\.file-editor$/i);
    },
  ),

  'patterns and globs of a search': fc.property(
    noise(
      'a',
      '|',
      '*',
      '+?',
      '{2,',
      '{0,9}',
      '}',
      '(',
      '(?:',
      ')',
      '[^',
      ']',
      '-',
      '^',
      '$',
      '.',
      '\\',
      '\\b',
      '\\p{L}',
    ),
    noise('a', '*', '**', '/', '?', '{', ',', '}', '[', '!', ']', '[[:alpha:]]', '\\', '..', 'é'),
    fc.boolean(),
    (pattern, glob, ignoreCase) => {
      const began = performance.now();
      refusedOr(() => Glob.parse('glob', glob, ignoreCase).namesIn(['a', 'é'])('a.a'.repeat(80)));
      refusedOr(() => {
        const found = atOnce(matchText(searched, new Pattern({ pattern, literal: false, ignoreCase }), page));
        assert.ok(found !== 'binary' && found.count === found.matches.length + found.left, pattern);
      });
      assert.ok(performance.now() - began < 1000, `${pattern} ${glob}`);
    },
  ),

  base64: fc.property(
    fc.oneof(noise('QUJD', 'YQ==', 'YWI=', '=', '+', '/', '-', '_', ' ', '\n'), fc.base64String(), fc.string()),
    (text) => {
      const wellFormed = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
      let bytes: Buffer | undefined;
      try {
        bytes = bytesOfBase64(Buffer.from(text));
      } catch (error) {
        assert.ok(error instanceof OperationError && error.failure.kind === 'invalid_encoding', String(error));
      }
      assert.equal(bytes !== undefined, wellFormed, text);
      // The last digit may hold unused bits.
      if (bytes !== undefined) assert.equal(bytes.toString('base64').slice(0, -4), text.slice(0, -4));
    },
  ),

  'lines of a stream': fc.property(
    fc.array(fc.uint8Array({ maxLength: 12 })),
    fc.array(fc.constantFrom('\n', '\r\n', ' ', 'abcdef', '\t'), { maxLength: 20 }),
    fc.integer({ min: 0, max: 12 }),
    (chunks, words, limit) => {
      const out: string[] = [];
      const splitter = new LineSplitter(
        limit,
        (line) => {
          assert.ok(line.length <= limit && !line.includes('\n'));
          out.push(line.toString('latin1'));
        },
        () => out.push('too long'),
      );
      const pieces = [...chunks.map((chunk) => Buffer.from(chunk)), ...words.map((word) => Buffer.from(word))];
      for (const piece of pieces) splitter.push(piece);
      splitter.end();
      const expected = Buffer.concat(pieces)
        .toString('latin1')
        .split('\n')
        .map((line) => line.replace(/\r$/, ''))
        .filter((line) => line.length > limit || !/^[ \t\r]*$/.test(line))
        .map((line) => (line.length > limit ? 'too long' : line));
      assert.deepEqual(out, expected);
    },
  ),
};
