import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AnswerSize } from '../../src/protocols/answer-size.js';
import { McpSizes } from '../../src/protocols/mcp-sizes.js';
import { usualRoom } from '../../workers/task.js';
import { mb, testConfig } from '../transports/http-harness.js';

describe('how large an answer will be', () => {
  it('is that of the largest of late', () => {
    const size = new AnswerSize(1000);
    size.learn(5000);
    assert.equal(size.estimate, 5000);
    for (let index = 0; index < 100; index++) size.learn(100);
    assert.equal(size.estimate, 100);
  });
});

describe('how large the answer to a message of the MCP will be', () => {
  const ok = (value: unknown): { ok: true; value: unknown } => ({ ok: true, value });
  const call = (name: string, args: unknown): { ok: true; value: unknown } =>
    ok({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

  it('is told by the tool, whatever others have answered; who may write keeps his place', () => {
    const sizes = new McpSizes(testConfig());
    sizes.learn(call('read_file', { name: 'large.txt' }), 5 * mb);
    sizes.learn(call('list_files', {}), 10 * mb);
    for (let lists = 0; lists < 200; lists++) sizes.learn(call('list_files', {}), 500_000);
    for (const [message, purpose, most] of [
      [call('read_file', { name: 'a.txt' }), 'read', usualRoom],
      [call('view', { path: 'a.txt' }), 'read', usualRoom],
      [call('edit_file', { name: 'a.txt', append: 'x' }), 'write', 10_000],
      // A quarter more than the last ones.
      [call('list_files', {}), 'read', 625_000],
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
    assert.equal(sizes.need(call('list_files', {})).bytes, 625_000);
  });
});
