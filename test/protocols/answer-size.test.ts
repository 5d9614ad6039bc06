import assert from 'node:assert/strict';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { operations } from '../../src/operations.js';
import { answerBytes, AnswerSize, learnList } from '../../src/protocols/answer-size.js';
import { McpSizes } from '../../src/protocols/mcp-sizes.js';
import { withDirectory } from '../directory.js';
import { mb, testConfig } from '../transports/http-harness.js';

function operation(name: string): NonNullable<ReturnType<typeof operations.get>> {
  return operations.get(name) ?? assert.fail(name);
}

describe('how large an answer will be', () => {
  it('is told by the file that is read, if it is one in the directory', () =>
    withDirectory({ 'a.txt': 'x'.repeat(100_000), 'in/b.txt': '' }, (directory) => {
      writeFileSync(join(directory, 'huge.txt'), '');
      truncateSync(join(directory, 'huge.txt'), 100 * mb);
      symlinkSync('huge.txt', join(directory, 'link'));
      const config = testConfig({ directory });
      const view = (path: unknown): number | undefined => answerBytes(config, operation('view'), { path });
      assert.equal(answerBytes(config, operation('read_file'), { name: 'a.txt' }), view('a.txt'));
      const bytes = view('a.txt') ?? 0;
      assert.ok(bytes > 100_000 && bytes < 200_000, String(bytes));
      const refused = view('huge.txt') ?? mb;
      assert.ok(refused < 10_000, 'it is too large to be read');
      assert.ok((view('in/b.txt') ?? mb) < 10_000);
      const outside = `../${directory.slice(dirname(directory).length + 1)}/a.txt`;
      const untold = ['missing.txt', 'link', 'in', '', outside, join(directory, 'a.txt'), 'a\0', 5, undefined];
      for (const path of untold) assert.equal(view(path), undefined, String(path));
      assert.equal(answerBytes(config, operation('edit_file'), { name: 'a.txt' }), undefined);
    }));

  it('is that of the largest of late otherwise', () => {
    const size = new AnswerSize(1000);
    size.learn(5000);
    assert.equal(size.estimate, 5000);
    for (let index = 0; index < 100; index++) size.learn(100);
    assert.equal(size.estimate, 100);
  });

  it('is that of all files for the first list, and then of the last lists', () =>
    withDirectory({ 'a.txt': '', 'b.txt': '' }, (directory) => {
      const size = new AnswerSize(10 * mb);
      const config = testConfig({ directory });
      learnList(size, config, operation('read_file'));
      assert.equal(size.estimate, 10 * mb);
      learnList(size, config, operation('list_files'));
      assert.ok(size.estimate > 100 && size.estimate < 2000);
      size.learn(5000);
      learnList(size, config, operation('list_files'));
      assert.equal(size.estimate, 5000);
    }));
});

describe('how large the answer to a message of the MCP will be', () => {
  const ok = (value: unknown): { ok: true; value: unknown } => ({ ok: true, value });
  const call = (name: string, args: unknown): { ok: true; value: unknown } =>
    ok({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

  it('is told by the tool, whatever others have answered; who may write keeps his place', () =>
    withDirectory({ 'a.txt': 'x'.repeat(1000) }, (directory) => {
      const sizes = new McpSizes(testConfig({ directory }));
      sizes.learn(call('read_file', { name: 'large.txt' }), 5 * mb);
      for (const [message, purpose, most] of [
        [call('read_file', { name: 'a.txt' }), 'read', 10_000],
        [call('read_file', { name: 'large.txt' }), 'read', 5 * mb],
        [call('edit_file', { name: 'a.txt', append: 'x' }), 'write', 10_000],
        [call('list_files', {}), 'read', 10_000],
        [call('no_tool', {}), 'read', 100_000],
        [ok({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), 'read', 100_000],
        [ok([{ jsonrpc: '2.0', id: 1, method: 'ping' }]), 'write', 5 * mb],
        [ok('text'), 'read', 100_000],
        [ok({ method: 'tools/call', params: { name: { toString: 5 } } }), 'read', 100_000],
      ] as const) {
        const need = sizes.need(message);
        assert.equal(need.purpose, purpose, JSON.stringify(message.value));
        assert.ok(need.bytes > 0 && need.bytes <= most, `${String(need.bytes)} for ${JSON.stringify(message.value)}`);
      }
      assert.equal(sizes.need(call('read_file', { name: 'large.txt' })).bytes, 5 * mb);
    }));
});
