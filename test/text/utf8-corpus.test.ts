/** The byte sequences of utf8tests as texts and as requests (spec 4, 7): invalid UTF-8 is refused, never repaired. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { OperationError } from '../../src/core/errors.js';
import { parseJson } from '../../src/core/json/json-body.js';
import { chunkSize } from '../../workers/text/kernel.js';
import { loadUtf8Cases, type Utf8Case } from '../corpora/utf8-tests.js';
import { withDirectory } from '../directory.js';
import { startProgram } from '../fronts/server-process.js';
import { isRecord } from '../reliability/client.js';
import { transports, withServer } from '../reliability/server.js';
import { contentOf, selectLines } from './lines/read-text.js';

const cases = loadUtf8Cases();
const nameOf = ({ id }: Utf8Case): string => `case-${id}.txt`;

/** The result of a read of these bytes; undefined if it refuses their encoding. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return contentOf(selectLines(bytes));
  } catch (error) {
    assert.ok(error instanceof OperationError && error.failure.kind === 'not_utf8', String(error));
    return undefined;
  }
}

describe('the byte sequences of utf8tests', () => {
  it('are complete', () => {
    assert.deepEqual([cases.length, cases.filter(({ valid }) => valid).length], [216, 76]);
  });

  it('are classified in the middle of a text and wherever a chunk ends', () => {
    for (const { id, valid, bytes } of cases) {
      for (const before of [3, ...Array.from({ length: bytes.length + 2 }, (_, back) => chunkSize - back)]) {
        const text = Buffer.concat([Buffer.alloc(before, 'x'), bytes, Buffer.from('y')]);
        assert.equal(textOf(text) !== undefined, valid, `${id} behind ${String(before)} bytes`);
      }
    }
  });

  it('are classified in a request as well', () => {
    for (const { id, valid, bytes } of cases) {
      const inString = valid && !/[\0-\x1f"\\]/.test(bytes.toString());
      const quoted = Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')]);
      assert.equal(parseJson(quoted).ok, inString, id);
    }
  });

  for (const transport of transports) {
    it(`in files are delivered as they are, or refused, and listed as texts or not (${transport})`, () =>
      withDirectory(Object.fromEntries(cases.map((each) => [nameOf(each), each.bytes])), (directory) =>
        withServer(transport, directory, { durability: 'none' }, async (server) => {
          const client = server.connect(8);
          const listed = await client.call('list_files', {});
          assert.ok(listed.kind === 'done' && Array.isArray(listed.result['files']));
          const lines = new Map(
            listed.result['files'].filter(isRecord).map((file) => [file['name'], file['lines']] as const),
          );
          await Promise.all(
            cases.map(async (each) => {
              const name = nameOf(each);
              const reply = await client.call('read_file', { name });
              assert.equal(lines.get(name) !== -1, each.valid, name);
              if (each.valid) {
                assert.ok(reply.kind === 'done', name);
                const content = String(reply.result['content']);
                assert.equal(
                  content,
                  each.bytes
                    .toString()
                    .replace(/\r\n|\r/g, '\n')
                    .replace(/\n$/, ''),
                  name,
                );
                return;
              }
              assert.ok(reply.kind === 'refused' && /UTF-8/.test(reply.message), `${name}: ${JSON.stringify(reply)}`);
              const edit = await client.call('edit_file', { name, append: 'x' });
              assert.ok(edit.kind === 'refused' && /UTF-8/.test(edit.message), `${name}: ${JSON.stringify(edit)}`);
              assert.deepEqual(readFileSync(join(directory, name)), each.bytes, name);
            }),
          );
        }),
      ));
  }

  it('sent as raw bytes over stdio are stored as they are, or refused with nothing written', () =>
    withDirectory({}, async (directory) => {
      const program = startProgram([
        `--dir=${directory}`,
        '--transport=stdio',
        '--toolset=all',
        '--durability=none',
        '--log-level=warn',
      ]);
      const codes: unknown[] = [];
      const answered = new Promise<void>((resolve) => {
        program.lines.on('line', (line) => {
          codes.push(/"code":(-?\d+)/.exec(line)?.[1] ?? 'done');
          if (codes.length === cases.length) resolve();
        });
      });
      const expected: string[] = [];
      for (const [index, { valid, bytes }] of cases.entries()) {
        const [path, content] = [`sent-${String(index)}`, 'CONTENT'];
        const params = { path, content, encoding: 'utf-8' };
        const [start = '', end = ''] = JSON.stringify({ jsonrpc: '2.0', id: index, method: 'create', params }).split(
          content,
        );
        // Escaped where JSON requires it; the rest is raw.
        const raw = valid ? Buffer.from(JSON.stringify(bytes.toString()).slice(1, -1)) : bytes;
        program.stdin.write(Buffer.concat([Buffer.from(start), raw, Buffer.from(`${end}\n`)]));
        expected.push(valid ? 'done' : '-32700');
      }
      await answered;
      assert.deepEqual(codes.sort(), expected.sort());
      for (const [index, { valid, bytes }] of cases.entries()) {
        if (valid) assert.deepEqual(readFileSync(join(directory, `sent-${String(index)}`)), bytes);
      }
      assert.equal(await program.stop(), 0);
      assert.doesNotMatch(program.errors(), /"level":"(?:error|fatal)"/);
    }));
});
