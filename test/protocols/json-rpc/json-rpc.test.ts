import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MakeCall } from '../../../src/call/call.js';
import type { Toolset } from '../../../src/core/operations.js';
import { failure, type Outcome } from '../../../src/core/errors.js';
import { Budget } from '../../../src/call/budget.js';
import { piecesOf, type JsonPart } from '../../../src/call/parts.js';
import { JsonRpc, type LineProtocol } from '../../../src/protocols/json-rpc/json-rpc.js';
import { offered } from '../../operations/offered.js';

const megabyte = 1_048_576;

interface Called {
  readonly name: string;
  readonly params: unknown;
  readonly requestId: string;
}

/** A protocol over a call that answers `{ok: <name>}` or the result of `answer`, plus the calls made so far. */
function protocolOver(
  answer: (called: Called) => Outcome | Promise<Outcome> = ({ name }) => ({ ok: true, result: { ok: name } }),
  {
    maxSizeMb = 10,
    toolset = 'files',
    budget = new Budget(256 * megabyte),
  }: { maxSizeMb?: number; toolset?: Toolset; budget?: Budget } = {},
): { protocol: LineProtocol; calls: Called[] } {
  const calls: Called[] = [];
  const call: MakeCall = ({ name }, params, { requestId }) => {
    const called = { name, params, requestId };
    calls.push(called);
    return Promise.resolve(answer(called));
  };
  const config = {
    toolsets: [toolset],
    readOnly: false,
    maxSizeMb,
    maxBytes: maxSizeMb * megabyte,
    names: 'portable' as const,
    mcpLineBase: 0 as const,
    mcpMaxChars: 0,
    mcpTextOnly: false,
    serverName: 'file-editing-server',
  };
  return { protocol: new JsonRpc({ config, call, budget }), calls };
}

function textOf(answer: readonly JsonPart[] | null): string {
  return Buffer.concat(piecesOf(answer ?? [])).toString();
}

/** Errors reduced to their codes; results unchanged. */
function brief(answer: readonly JsonPart[] | null): unknown {
  const simplify = (message: unknown): unknown => {
    assert.ok(typeof message === 'object' && message !== null);
    assert.equal(Reflect.get(message, 'jsonrpc'), '2.0');
    const id: unknown = Reflect.get(message, 'id');
    if (!('error' in message)) {
      const result: unknown = Reflect.get(message, 'result');
      return { id, result };
    }
    assert.ok(!('result' in message));
    assert.ok(typeof message.error === 'object' && message.error !== null);
    const code: unknown = Reflect.get(message.error, 'code');
    return { id, code };
  };
  if (answer === null) return null;
  const parsed: unknown = JSON.parse(textOf(answer));
  return Array.isArray(parsed) ? parsed.map(simplify) : simplify(parsed);
}

async function errorOf(protocol: LineProtocol, line: string): Promise<Record<string, unknown>> {
  const answer = await protocol.answer(Buffer.from(line));
  const { error } = JSON.parse(textOf(answer)) as { error: Record<string, unknown> };
  return error;
}

const response = { jsonrpc: '2.0', id: 3, result: {} };
const parseError = { id: null, code: -32700 };
const invalid = { id: null, code: -32600 };
const listed = { ok: 'list_files' };
const list = (id: unknown): object => ({ jsonrpc: '2.0', id, method: 'list_files' });
const listNotification = { jsonrpc: '2.0', method: 'list_files' };

/** Request, answer, operations called. */
const cases: readonly (readonly [string, unknown, unknown, readonly string[]])[] = [
  ['a request', list(1), { id: 1, result: listed }, ['list_files']],
  ['a request with an empty params object', { ...list(1), params: {} }, { id: 1, result: listed }, ['list_files']],
  ['unknown members of the envelope', { ...list(1), extra: [], meta: 1 }, { id: 1, result: listed }, ['list_files']],
  ['surrounding whitespace', ` \t${JSON.stringify(list(1))} `, { id: 1, result: listed }, ['list_files']],

  ['id: a string', list('abc'), { id: 'abc', result: listed }, ['list_files']],
  ['id: an empty string', list(''), { id: '', result: listed }, ['list_files']],
  ['id: 1 MB', list('x'.repeat(megabyte)), { id: 'x'.repeat(megabyte), result: listed }, ['list_files']],
  ['id: more than 1 MB', list('x'.repeat(megabyte + 1)), invalid, []],
  ['id: 0', list(0), { id: 0, result: listed }, ['list_files']],
  ['id: a fraction', list(1.5), { id: 1.5, result: listed }, ['list_files']],
  [
    'id: the largest number',
    list(Number.MAX_SAFE_INTEGER),
    { id: Number.MAX_SAFE_INTEGER, result: listed },
    ['list_files'],
  ],
  ['id: a number that may have been rounded', list(2 ** 53), invalid, []],
  ['id: null is a request', list(null), { id: null, result: listed }, ['list_files']],
  ['id: too large a number', '{"jsonrpc":"2.0","id":1e400,"method":"list_files"}', invalid, []],
  ['id: an object', list({}), invalid, []],
  ['id: an array', list([]), invalid, []],
  ['id: true', list(true), invalid, []],

  ['not JSON', 'list_files', parseError, []],
  ['truncated JSON', '{"jsonrpc":"2.0","id":1', parseError, []],
  ['two values', '{} {}', parseError, []],
  ['a byte order mark', '\ufeff{}', parseError, []],

  ['not an envelope: a number', 1, invalid, []],
  ['not an envelope: a string', '"list_files"', invalid, []],
  ['not an envelope: null', null, invalid, []],
  ['not an envelope: an empty object', {}, invalid, []],
  ['jsonrpc: missing', { id: 1, method: 'list_files' }, { id: 1, code: -32600 }, []],
  ['jsonrpc: 1.0', { ...list(1), jsonrpc: '1.0' }, { id: 1, code: -32600 }, []],
  ['jsonrpc: a number', { ...list(1), jsonrpc: 2 }, { id: 1, code: -32600 }, []],
  ['method: missing', { jsonrpc: '2.0', id: 'm' }, { id: 'm', code: -32600 }, []],
  ['method: a number', { jsonrpc: '2.0', id: 2, method: 1 }, { id: 2, code: -32600 }, []],
  ['a response is ignored: a result', { jsonrpc: '2.0', id: 3, result: {} }, null, []],
  ['a response is ignored: a result of null', { jsonrpc: '2.0', id: 'x', result: null }, null, []],
  ['a response is ignored: an error', { jsonrpc: '2.0', id: 3, error: { code: 1, message: 'x' } }, null, []],
  ['a response is ignored: an error without id', { jsonrpc: '2.0', error: { code: 1, message: 'x' } }, null, []],
  ['not a response: a result without id', { jsonrpc: '2.0', result: {} }, invalid, []],
  ['not a response: jsonrpc missing', { id: 3, result: {} }, { id: 3, code: -32600 }, []],
  [
    'a request with a member that belongs to responses',
    { ...list(1), result: {} },
    { id: 1, result: listed },
    ['list_files'],
  ],
  ['method: a number, with a result', { jsonrpc: '2.0', id: 2, method: 1, result: {} }, { id: 2, code: -32600 }, []],

  ['method: unknown', { ...list(1), method: 'list_file' }, { id: 1, code: -32601 }, []],
  ['method: empty', { ...list(1), method: '' }, { id: 1, code: -32601 }, []],
  ['method: an inherited object member', { ...list(1), method: 'constructor' }, { id: 1, code: -32601 }, []],
  ['method: unknown, with bad params', { ...list(1), method: 'x', params: [] }, { id: 1, code: -32601 }, []],
  ['params: an array', { ...list(1), params: [] }, { id: 1, code: -32602 }, []],
  ['params: null', { ...list(1), params: null }, { id: 1, code: -32602 }, []],
  ['params: a string', { ...list(1), params: 'a.txt' }, { id: 1, code: -32602 }, []],

  ['a notification', listNotification, null, ['list_files']],
  ['a notification of an unknown method', { ...listNotification, method: 'x' }, null, []],
  ['a notification with bad params', { ...listNotification, params: [] }, null, []],

  [
    'a batch',
    [list(1), list('b')],
    [
      { id: 1, result: listed },
      { id: 'b', result: listed },
    ],
    ['list_files', 'list_files'],
  ],
  ['an empty batch', [], invalid, []],
  ['a batch of a number', [1], [invalid], []],
  ['a batch of numbers', [1, 2], [invalid, invalid], []],
  ['a batch in a batch', [[list(1)]], [invalid], []],
  ['a batch of notifications', [listNotification, listNotification], null, ['list_files', 'list_files']],
  ['a batch of responses', [response, response], null, []],
  ['a batch with a response', [response, list(1)], [{ id: 1, result: listed }], ['list_files']],
  [
    'a batch of everything',
    [{ foo: 1 }, list(1), listNotification, { ...list(2), method: 'x' }, { ...list(3), params: [] }],
    [invalid, { id: 1, result: listed }, { id: 2, code: -32601 }, { id: 3, code: -32602 }],
    ['list_files', 'list_files'],
  ],
  ['a truncated batch', '[{"jsonrpc":"2.0","id":1,"method":"list_files"},', parseError, []],
  ['a batch of too many', `[1${',1'.repeat(10_000)}]`, invalid, []],
];

describe('a JSON-RPC message', () => {
  for (const [name, message, answer, called] of cases) {
    it(`gets the specified answer: ${name}`, async () => {
      const { protocol, calls } = protocolOver();
      const line = typeof message === 'string' ? message : JSON.stringify(message);
      assert.deepEqual(brief(await protocol.answer(Buffer.from(line))), answer);
      assert.deepEqual(
        calls.map((call) => call.name),
        called,
      );
    });
  }

  it('passes its params on unchanged, and {} if there are none', async () => {
    const { protocol, calls } = protocolOver();
    const params = { name: 'a.txt', edits: [{ line: 1, operation: 'delete' }], unknown: null };
    await protocol.answer(Buffer.from(JSON.stringify({ ...list(1), method: 'edit_file', params })));
    await protocol.answer(Buffer.from(JSON.stringify({ ...list(1), method: 'read_file' })));
    assert.deepEqual(
      calls.map((call) => call.params),
      [params, {}],
    );
  });

  it('is answered with its id, or refused if a JavaScript number would round it', async () => {
    const { protocol, calls } = protocolOver();
    const answerTo = async (id: string): Promise<string> =>
      textOf(await protocol.answer(Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"list_files"}`)));
    for (const id of ['9007199254740991', '-9007199254740991', '"9007199254740993"']) {
      assert.match(await answerTo(id), new RegExp(`"id":${id},"result"`));
    }
    assert.equal(calls.length, 3);
    for (const id of ['9007199254740992', '-9007199254740993', '18446744073709551615']) {
      assert.match(await answerTo(id), /"id":null,"error":\{"code":-32600,.*id must be .* up to 2\^53 - 1/);
    }
    assert.equal(calls.length, 3);
  });

  it("has its own request id, which contains the caller's id", async () => {
    const { protocol, calls } = protocolOver();
    const lines = [list(7), list(7), list('x'.repeat(1000)), list(null), listNotification];
    for (const line of lines) await protocol.answer(Buffer.from(JSON.stringify(line)));
    assert.deepEqual(
      calls.map((call) => call.requestId),
      ['rpc-1:7', 'rpc-2:7', `rpc-3:${'x'.repeat(64)}`, 'rpc-4', 'rpc-5'],
    );
  });
});

describe('a JSON-RPC error', () => {
  it("contains the call's error, the method and the file", async () => {
    const { protocol } = protocolOver(() =>
      failure('changed', "File 'a.txt' has changed", { data: { current_hash: 'ab' } }),
    );
    const error = await errorOf(protocol, '{"jsonrpc":"2.0","id":1,"method":"edit_file","params":{"name":"a.txt"}}');
    const { data, ...rest } = error;
    assert.deepEqual(rest, { code: -32001, message: "File 'a.txt' has changed" });
    assert.ok(typeof data === 'object' && data !== null);
    assert.deepEqual(
      { ...data, timestamp: '', details: '' },
      {
        filename: 'a.txt',
        operation: 'edit_file',
        timestamp: '',
        details: '',
        current_hash: 'ab',
      },
    );
  });

  it('names no file if the name is not a string', async () => {
    const { protocol } = protocolOver(() => failure('invalid_params', 'Invalid params: /name must be a string'));
    const error = await errorOf(protocol, '{"jsonrpc":"2.0","id":1,"method":"read_file","params":{"name":["a"]}}');
    assert.ok(!Object.hasOwn(Object(error['data']) as object, 'filename'));
  });

  for (const [name, line, message, details] of [
    ['bad JSON', '{"a":1,}', 'Parse error', /position 7/],
    ['a bad envelope', '{"id":1}', 'Invalid Request', /^jsonrpc must be "2\.0"\. .*"method":"tools\/list"/],
    ['a message that is not an object', '7', 'Invalid Request', /^A message must be an object\. Send /],
    ['an empty batch', '[]', 'Invalid Request', /^A batch must have 1 to 1000 messages\. Send /],
    ['a batch of too many', `[1${',1'.repeat(1_000)}]`, 'Invalid Request', /these 1001 messages in several batches/],
    [
      'an unknown method',
      '{"jsonrpc":"2.0","id":1,"method":"readFile"}',
      'Method not found',
      new RegExp(
        `Did you mean 'read_file'\\? The methods are ${offered().join(', ')}, and initialize, .* of the MCP\\.`,
      ),
    ],
    [
      'a method of a toolset that this server lacks',
      '{"jsonrpc":"2.0","id":1,"method":"str_replace"}',
      'Method not found',
      /^Start the server with --toolset=files,storage \(or all\) to have str_replace\. The methods are list_files, /,
    ],
    [
      'an array as params',
      '{"jsonrpc":"2.0","id":1,"method":"read_file","params":["a.txt"]}',
      'Invalid params: params must be an object, not an array',
      /by name/,
    ],
  ] as const) {
    it(`explains: ${name}`, async () => {
      const error = await errorOf(protocolOver().protocol, line);
      assert.equal(error['message'], message);
      assert.match(String(Reflect.get(Object(error['data']) as object, 'details')), details);
    });
  }

  it("describes the problem in the operation's terms", async () => {
    const { protocol } = protocolOver(undefined, { toolset: 'storage' });
    const error = await errorOf(protocol, '{"jsonrpc":"2.0","id":1,"method":"view","params":["a.txt"]}');
    assert.equal(Reflect.get(Object(error['data']) as object, 'reason'), 'invalid_params');
  });

  it('is the answer to a line over the limit', () => {
    const error: unknown = JSON.parse(textOf(protocolOver(undefined, { maxSizeMb: 3 }).protocol.tooLong()));
    assert.equal(Reflect.get(Object(error) as object, 'id'), null);
    const { code, message } = Reflect.get(Object(error) as object, 'error') as { code: number; message: string };
    assert.deepEqual({ code, message }, { code: -32600, message: 'Request size exceeds maximum limit 3MB' });
  });
});

describe('a batch of reads that are answered synchronously', () => {
  it('yields to the event loop every few milliseconds', async () => {
    const { protocol, calls } = protocolOver(() => {
      const began = performance.now();
      while (performance.now() - began < 3);
      return { ok: true, result: {} };
    });
    const answer = protocol.answer(Buffer.from(JSON.stringify(Array.from({ length: 100 }, (_, id) => list(id)))));
    const made: number[] = [];
    for (let before = 0; before < 100; before = calls.length) {
      await new Promise(setImmediate);
      made.push(calls.length - before);
    }
    // Two reads exceed the limit of a turn; one turn of theirs may come before and one after each turn of this test.
    assert.ok(Math.max(...made) <= 4, made.join(' '));
    assert.equal((brief(await answer) as unknown[]).length, 100);
  });
});

describe('an oversized message', () => {
  const ones = '1,'.repeat(200_000);

  it('is refused with its own id and method', async () => {
    const { protocol, calls } = protocolOver();
    const error = await errorOf(
      protocol,
      `{"params":{"edits":[${ones}1],"name":"a.txt"},"jsonrpc":"2.0","id":7,"method":"edit_file"}`,
    );
    assert.equal(error['code'], -32602);
    assert.equal(error['message'], 'Invalid params: too many values');
    const data = Object(error['data']) as object;
    assert.equal(Reflect.get(data, 'operation'), 'edit_file');
    assert.match(String(Reflect.get(data, 'details')), /^\/params\/edits holds too much: /);
    assert.equal(calls.length, 0);
  });

  for (const [name, line, answer] of [
    [
      'nested arrays',
      `{"jsonrpc":"2.0","id":8,"method":"x","params":{"a":${'['.repeat(2e5)}${']'.repeat(2e5)}}}`,
      { id: 8, code: -32602 },
    ],
    [
      'params as an array',
      `{"jsonrpc":"2.0","id":9,"method":"read_file","params":[${ones}1]}`,
      { id: 9, code: -32602 },
    ],
    ['a notification', `{"jsonrpc":"2.0","method":"edit_file","params":{"edits":[${ones}1]}}`, null],
    ['a bad envelope', `{"id":9,"params":[${ones}1]}`, { id: 9, code: -32600 }],
    ['a batch', `[${ones}1]`, invalid],
  ] as const) {
    it(`is refused: ${name}`, async () => {
      assert.deepEqual(brief(await protocolOver().protocol.answer(Buffer.from(line))), answer);
    });
  }
});

describe('JSON-RPC calls', () => {
  const edit = (id: number): object => ({ jsonrpc: '2.0', id, method: 'edit_file', params: { name: 'a', id } });
  const idOf = ({ params }: Called): unknown => Reflect.get(Object(params) as object, 'id');

  it('start in order of arrival, without waiting for answers', () => {
    const { protocol, calls } = protocolOver(() => new Promise(() => undefined));
    void protocol.answer(Buffer.from(JSON.stringify(edit(1))));
    void protocol.answer(Buffer.from(JSON.stringify([edit(2), list(0), edit(3)])));
    void protocol.answer(Buffer.from(JSON.stringify(edit(4))));
    assert.deepEqual(calls.filter(({ name }) => name === 'edit_file').map(idOf), [1, 2, 3, 4]);
  });

  it('of one batch run concurrently, and are answered in one array in batch order', async () => {
    const pending: (() => void)[] = [];
    const { protocol, calls } = protocolOver(
      (called) =>
        new Promise((resolve) => {
          pending.push(() => {
            resolve({ ok: true, result: { ran: idOf(called) ?? called.name } });
          });
        }),
    );
    const answer = protocol.answer(Buffer.from(JSON.stringify([list(1), edit(2), list(3), edit(4)])));
    await new Promise(setImmediate);
    assert.equal(calls.length, 4);
    for (const finish of pending.reverse()) finish();
    assert.deepEqual(brief(await answer), [
      { id: 1, result: { ran: 'list_files' } },
      { id: 2, result: { ran: 2 } },
      { id: 3, result: { ran: 'list_files' } },
      { id: 4, result: { ran: 4 } },
    ]);
  });

  it('that read in a batch wait until there is memory for the whole batch; writes do not', async () => {
    const budget = new Budget(256 * megabyte);
    budget.hold('large', 200 * megabyte);
    const { protocol, calls } = protocolOver(undefined, { budget });
    const answer = protocol.answer(Buffer.from(JSON.stringify([list(1), edit(2), list(3)])));
    await new Promise(setImmediate);
    const made = (): string[] => calls.map(({ name }) => name);
    assert.deepEqual(made(), ['edit_file']);
    budget.release('large', 200 * megabyte);
    assert.deepEqual(brief(await answer), [
      { id: 1, result: { ok: 'list_files' } },
      { id: 2, result: { ok: 'edit_file' } },
      { id: 3, result: { ok: 'list_files' } },
    ]);
    await new Promise(setImmediate);
    assert.ok(budget.begin('large', 224 * megabyte), 'all of it was given back');
  });

  it('are answered even after an unexpected error, alone or in a batch', async () => {
    const { protocol } = protocolOver(({ name }) => {
      if (name === 'edit_file') throw new Error('a mistake');
      return { ok: true, result: listed };
    });
    const failed = { id: 1, code: -32603 };
    assert.deepEqual(brief(await protocol.answer(Buffer.from(JSON.stringify(edit(1))))), failed);
    const batch = await protocol.answer(Buffer.from(JSON.stringify([edit(1), list(2)])));
    assert.deepEqual(brief(batch), [failed, { id: 2, result: listed }]);
  });

  it('that read in a batch are dropped if the client leaves before there is memory; writes are not', async () => {
    const budget = new Budget(256 * megabyte);
    budget.hold('large', 200 * megabyte);
    const { protocol, calls } = protocolOver(undefined, { budget });
    const answer = protocol.answer(Buffer.from(JSON.stringify([list(1), edit(2)])));
    protocol.loseReader();
    budget.release('large', 200 * megabyte);
    assert.deepEqual(brief(await answer), [{ id: 2, result: { ok: 'edit_file' } }]);
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['edit_file'],
    );
  });

  it('that read in one batch share a bounded answer; writes are all executed', async () => {
    const content = Buffer.from(`"${'x'.repeat(megabyte - 2)}"`);
    let running = 0;
    let most = 0;
    const { protocol, calls } = protocolOver(
      async ({ name }) => {
        if (name === 'edit_file') return { ok: true, result: {} };
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        return { ok: true, result: { content } };
      },
      { maxSizeMb: 1 },
    );
    const batch = Array.from({ length: 400 }, (_, id) => (id % 2 === 0 ? list(id) : edit(id)));
    const answer = await protocol.answer(Buffer.from(JSON.stringify(batch)));
    const answers: unknown = JSON.parse(textOf(answer));
    assert.ok(Array.isArray(answers));
    assert.deepEqual(
      answers.map((member: { id: number }) => member.id),
      batch.map((_, id) => id),
    );
    assert.equal(calls.filter(({ name }) => name === 'edit_file').length, 200);
    assert.equal(most, 32);
    const refusals = answers.flatMap((member: { error?: { message: string } }) => member.error?.message ?? []);
    // 128, plus the 32 that were already running.
    assert.ok(refusals.length >= 40 && refusals.length <= 72, String(refusals.length));
    assert.deepEqual([...new Set(refusals)], ['Batch answer exceeds maximum limit 128MB']);
  });
});

describe('a JSON-RPC answer', () => {
  it('carries a large text separately from its frame', async () => {
    const json = Buffer.from(`{"content":"${'x'.repeat(20_000)}"}`);
    const { protocol } = protocolOver(() => ({ ok: true, result: {}, json }));
    const answer = await protocol.answer(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"read_file"}'));
    assert.deepEqual(
      answer?.map((part) => (typeof part === 'string' ? part : part.buffer === json.buffer)),
      ['{"jsonrpc":"2.0","id":1,"result":', true, '}'],
    );
  });

  it('embeds the encoded bytes of a text unchanged', async () => {
    const { protocol } = protocolOver(() => ({
      ok: true,
      result: { content: Buffer.from('"\\u0041\\n日"'), total_lines: 2 },
    }));
    const answer = await protocol.answer(Buffer.from('{"jsonrpc":"2.0","id":"é\\n","method":"read_file"}'));
    assert.equal(textOf(answer), '{"jsonrpc":"2.0","id":"é\\n","result":{"content":"\\u0041\\n日","total_lines":2}}');
  });
});
