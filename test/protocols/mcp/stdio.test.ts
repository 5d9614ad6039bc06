/** The MCP and plain JSON-RPC on one stream. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MakeCall, CallContext } from '../../../src/call/call.js';
import { failure, type Outcome } from '../../../src/core/errors.js';
import { piecesOf } from '../../../src/call/parts.js';
import { Budget } from '../../../src/call/budget.js';
import { JsonRpc, type LineProtocol } from '../../../src/protocols/json-rpc/json-rpc.js';
import { editCall, initialize, legacy, modern, readCall, type Message } from './messages.js';

const megabyte = 1_048_576;

interface Stream {
  readonly protocol: LineProtocol;
  readonly calls: { readonly name: string; readonly params: unknown; readonly context: CallContext }[];
  /** The answer to a message, valid or not. */
  readonly send: (message: unknown) => Promise<unknown>;
}

const success: Outcome = { ok: true, result: { content: Buffer.from('"x"'), total_lines: 1 }, hash: 'abc' };

function stream(
  answer: (context: CallContext) => Outcome | Promise<Outcome> = () => success,
  { mcpMaxChars }: { readonly mcpMaxChars?: number } = { mcpMaxChars: 0 },
): Stream {
  const calls: Stream['calls'] = [];
  const call: MakeCall = ({ name }, params, context) => {
    calls.push({ name, params, context });
    return answer(context);
  };
  const config = {
    toolsets: ['files'] as const,
    readOnly: false,
    maxSizeMb: 10,
    maxBytes: 10 * megabyte,
    names: 'portable' as const,
    mcpLineBase: 0 as const,
    mcpMaxChars,
    mcpTextOnly: false,
    serverName: 'file-editing-server',
  };
  const protocol = new JsonRpc({ config, call, budget: new Budget(256 * megabyte) });
  return {
    protocol,
    calls,
    send: async (message) => {
      const line = typeof message === 'string' ? message : JSON.stringify(message);
      const parts = await protocol.answer(Buffer.from(line));
      const answer: unknown = parts === null ? null : JSON.parse(Buffer.concat(piecesOf(parts)).toString());
      return answer;
    },
  };
}

/** Id, and code or `true` for a result. */
function brief(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(brief);
  if (answer === null) return null;
  const { id, error, result } = answer as { id: unknown; error?: { code: number }; result?: unknown };
  return [id, error === undefined ? result !== undefined : error.code];
}

describe('a stream that carries MCP', () => {
  it('carries legacy MCP, modern MCP and plain JSON-RPC', async () => {
    const { send, calls } = stream();
    assert.deepEqual(brief(await send(initialize('2025-06-18', 'a'))), ['a', true]);
    assert.equal(await send({ jsonrpc: '2.0', method: 'notifications/initialized' }), null);
    assert.deepEqual(brief(await send(legacy('tools/call', editCall, 2))), [2, true]);
    assert.deepEqual(brief(await send(modern('tools/call', editCall, undefined, 3))), [3, true]);
    assert.deepEqual(brief(await send(legacy('edit_file', { name: 'a.txt' }, 4))), [4, true]);
    assert.deepEqual(
      calls.map(({ params }) => Reflect.get(Object(params) as object, 'create_if_missing') as unknown),
      [true, true, undefined],
      'what is another default for models is none for programs',
    );
  });

  it('survives every kind of bad message', async () => {
    const { send } = stream();
    for (const [message, expected] of [
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call",', [null, -32700]],
      [legacy('tools/call', { name: 'x' }), [1, -32602]],
      [legacy('no/such'), [1, -32601]],
      [modern('ping'), [1, -32601]],
      [{ jsonrpc: '1.0', id: 1, method: 'ping' }, [1, -32600]],
      [{ jsonrpc: '2.0', id: {}, method: 'ping' }, [null, -32600]],
      [{ jsonrpc: '2.0', id: 5, result: {} }, null],
      [{ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }, null],
      [{ jsonrpc: '2.0', id: 6, method: 'ping', params: null }, [6, true]],
      [{ jsonrpc: '2.0', method: 'no/such' }, null],
      [{ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }, null],
      [{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } }, null],
      [{ jsonrpc: '2.0', method: 'notifications/cancelled' }, null],
      [legacy('ping'), [1, true]],
    ] as const) {
      assert.deepEqual(brief(await send(message)), expected, JSON.stringify(message));
    }
  });

  it('tells the model about oversized arguments as about any invalid ones', async () => {
    const { send, calls } = stream();
    const edits = Array.from({ length: 20_000 }, () => ({ line: 0, operation: 'insert', content: 'x' }));
    for (const message of [
      legacy('tools/call', { name: 'edit_file', arguments: { name: 'a.txt', edits } }, 1),
      modern('tools/call', { name: 'edit_file', arguments: { name: 'a.txt', edits } }, undefined, 2),
    ]) {
      const answer = JSON.stringify(await send(message));
      assert.match(
        answer,
        /"result":.*Error: Invalid params: too many values\\n\/params\/arguments holds too much.*"isError":true/,
      );
    }
    assert.deepEqual(brief(await send(legacy('tools/call', { name: 'none', arguments: { edits } }, 3))), [3, -32602]);
    assert.equal(calls.length, 0);
  });

  it('keeps the negotiated revision if another `initialize` is refused', async () => {
    const { send } = stream();
    await send(initialize('2025-03-26'));
    for (const refused of [initialize(5), legacy('initialize', {}), modern('initialize')]) {
      assert.equal(typeof (brief(await send(refused)) as unknown[])[1], 'number');
      assert.deepEqual(brief(await send([legacy('ping')])), [[1, true]]);
    }
  });

  it('keeps the order of calls, even while MCP is loading for the first of them', async () => {
    const { send, calls } = stream();
    await Promise.all([
      send(legacy('tools/call', { ...editCall, arguments: { name: 'first' } })),
      send(legacy('edit_file', { name: 'second' })),
      send([legacy('edit_file', { name: 'third' })]),
      send(legacy('tools/call', { ...editCall, arguments: { name: 'fourth' } })),
    ]);
    assert.deepEqual(
      calls.map(({ params }) => Reflect.get(Object(params) as object, 'name') as unknown),
      ['first', 'second', 'third', 'fourth'],
    );
  });
});

describe('batches with MCP messages', () => {
  const batch = [legacy('ping', {}, 1), legacy('tools/call', readCall, 2), legacy('read_file', { name: 'a' }, 3)];

  it('are refused, message by message, before negotiation', async () => {
    assert.deepEqual(brief(await stream().send(batch)), [
      [1, -32600],
      [2, -32600],
      [3, true],
    ]);
  });

  for (const [revision, allowed] of [
    ['2024-11-05', false],
    ['2025-03-26', true],
    ['2025-06-18', false],
    ['2025-11-25', false],
  ] as const) {
    it(`are ${allowed ? 'answered' : 'refused'} once ${revision} is negotiated`, async () => {
      const { send } = stream();
      const [, answer] = await Promise.all([send(initialize(revision)), send(batch)]);
      const expected = allowed ? true : -32600;
      assert.deepEqual(brief(answer), [
        [1, expected],
        [2, expected],
        [3, true],
      ]);
    });
  }

  it('never contain initialize or a request of the modern era', async () => {
    const { send, calls } = stream();
    await send(initialize('2025-03-26'));
    assert.deepEqual(brief(await send([initialize('2025-03-26', 1), modern('tools/call', editCall, undefined, 2)])), [
      [1, -32600],
      [2, -32600],
    ]);
    assert.equal(calls.length, 0);
  });
});

describe('a cancellation', () => {
  const cancelled = (requestId: unknown): Message => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId },
  });

  /** Answers once cancelled. */
  const untilCancelled = ({ signal }: CallContext): Promise<Outcome> =>
    new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve(failure('cancelled', 'Cancelled')));
    });

  for (const id of [7, 'seven', 0, '']) {
    it(`ends the call ${JSON.stringify(id)} without an answer`, async () => {
      const { send } = stream(untilCancelled);
      const answer = send(legacy('tools/call', editCall, id));
      await send(legacy('ping', {}, 'other'));
      await send(cancelled(id));
      assert.equal(await answer, null);
    });
  }

  it('with another id, or another type of id, changes nothing', async () => {
    const { send, calls } = stream(
      ({ signal }) =>
        new Promise((resolve) =>
          setImmediate(() => resolve(signal?.aborted === true ? failure('cancelled', '') : success)),
        ),
    );
    const answer = send(legacy('tools/call', editCall, 7));
    await Promise.all([send(cancelled('7')), send(cancelled(8)), send(cancelled(undefined)), send(cancelled({}))]);
    assert.deepEqual(brief(await answer), [7, true]);
    assert.equal(calls.length, 1);
  });

  it('that comes too late leaves the answer unchanged', async () => {
    const { send } = stream();
    assert.deepEqual(brief(await send(legacy('tools/call', editCall, 7))), [7, true]);
    assert.equal(await send(cancelled(7)), null);
    assert.deepEqual(brief(await send(legacy('tools/call', editCall, 7))), [7, true], 'the id may be used again');
  });
});

describe('a client that names itself', () => {
  const initializeAs = (name: unknown): Message =>
    legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name } });

  it('gets texts as long as it shows, until another one follows', async () => {
    const { send, calls } = stream(() => success, {});
    await send(legacy('tools/call', readCall));
    await send(initializeAs('claude-code'));
    await send(legacy('tools/call', readCall));
    await send(modern('tools/call', readCall));
    await send(initializeAs('another'));
    await send(legacy('tools/call', readCall));
    const pages = calls.map(({ context }) => context.model?.maxChars);
    assert.deepEqual(pages, [40_000, 100_000, 40_000, 40_000]);
  });
});

describe('a client that disconnects', () => {
  it('is signalled to its pending calls', async () => {
    const { protocol, send, calls } = stream();
    await send(initialize());
    await send(legacy('tools/call', readCall, 7));
    const { recipient } = calls[0]?.context ?? {};
    assert.equal(recipient?.gone, false);
    protocol.loseReader();
    assert.equal(recipient.gone, true);
  });
});

describe('a message to an MCP client', () => {
  const lines = Buffer.from(JSON.stringify('line\n'.repeat(2_000_000)));
  const text: Outcome = { ok: true, result: { content: lines, total_lines: 2_000_000 }, hash: 'abc' };
  const sizeOf = async (message: unknown): Promise<number> => {
    const { protocol, send } = stream(() => text);
    await send(initialize('2025-03-26'));
    const parts = await protocol.answer(Buffer.from(JSON.stringify(message)));
    assert.ok(parts !== null);
    return Buffer.concat(piecesOf(parts)).length;
  };
  const isFull = (size: number): boolean => size > 0.98 * 9 * megabyte && size <= 9 * megabyte;

  it('takes at most 9 MiB, however long its id is', async () => {
    for (const id of [1, 'x'.repeat(megabyte), '\u0001'.repeat(megabyte)]) {
      const size = await sizeOf(legacy('tools/call', readCall, id));
      assert.ok(isFull(size), String(size));
    }
  });

  it('takes at most 9 MiB, however many answers it contains', async () => {
    for (const count of [2, 20]) {
      const size = await sizeOf(Array.from({ length: count }, (_, id) => legacy('tools/call', readCall, id)));
      assert.ok(isFull(size), String(size));
    }
    for (const message of [legacy('tools/call', readCall), legacy('tools/list')]) {
      assert.ok((await sizeOf(Array.from({ length: 1_000 }, () => message))) <= 9 * megabyte);
    }
  });
});
