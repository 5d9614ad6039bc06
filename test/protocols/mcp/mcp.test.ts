/** Answers to MCP requests, independent of the transport. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MakeCall, CallContext } from '../../../src/call/call.js';
import { failure, type Outcome } from '../../../src/core/errors.js';
import { readRequest } from '../../../src/protocols/json-rpc/envelope.js';
import type { McpConfig } from '../../../src/protocols/mcp/methods.js';
import { createMcp } from '../../../src/protocols/mcp/mcp.js';
import {
  capabilitiesKey,
  editCall,
  initialize,
  legacy,
  modern,
  modernMeta,
  readCall,
  versionKey,
  type Message,
} from './messages.js';
import { offered } from '../../operations/offered.js';
import { assertNoRepetition } from '../../operations/repetition.js';

interface Called {
  readonly name: string;
  readonly params: unknown;
  readonly context: CallContext;
}

const defaults: McpConfig = {
  toolsets: ['files'],
  readOnly: false,
  names: 'portable',
  mcpLineBase: 0,
  mcpMaxChars: 0,
  mcpTextOnly: false,
  serverName: 'file-editing-server',
};

const success: Outcome = {
  ok: true,
  result: { success: true, lines_modified: 0, file_created: false, new_total_lines: 0 },
  hash: 'abc',
};

interface Exchanged {
  readonly result?: Record<string, unknown>;
  readonly code?: number;
  readonly status?: number;
  readonly text?: string;
  readonly details?: string;
  readonly calls: Called[];
}

/** A message's result, or its error with the HTTP status, plus the calls it made. */
async function exchange(
  message: Message,
  { outcome = success, ...changes }: Partial<McpConfig> & { outcome?: Outcome } = {},
): Promise<Exchanged> {
  const calls: Called[] = [];
  const call: MakeCall = ({ name }, params, context) => {
    calls.push({ name, params, context });
    return outcome;
  };
  const mcp = createMcp({ config: { ...defaults, ...changes }, call });
  const request = readRequest(message);
  assert.ok(request !== null && 'method' in request);
  const reply = mcp.refuse(request) ?? (await mcp.answer(request, { front: 'rest', requestId: 'r' }));
  if (reply === null) return { calls };
  if ('result' in reply) {
    const json = Buffer.concat(reply.result.map((part) => Buffer.from(part))).toString();
    return { result: JSON.parse(json) as Record<string, unknown>, calls };
  }
  const { code, status, message: text, data } = reply;
  return { code, status, text, details: data.details, calls };
}

const serverInfo = (info: unknown): void => {
  assert.ok(typeof info === 'object' && info !== null);
  assert.equal(Reflect.get(info, 'name'), 'file-editing-server');
  assert.match(String(Reflect.get(info, 'version')), /^\d+\.\d+\.\d+/);
  assert.equal(Reflect.get(info, 'description'), 'High-performance file editing server for AI agents');
};

describe('initialize', () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    it(`answers a client of ${revision} with the same revision`, async () => {
      assert.equal((await exchange(initialize(revision))).result?.['protocolVersion'], revision);
    });
  }

  for (const revision of ['2023-01-01', '2026-07-28', '2099-12-31', '']) {
    it(`answers ${JSON.stringify(revision)}, which it cannot negotiate, with the newest that it supports`, async () => {
      assert.equal((await exchange(initialize(revision))).result?.['protocolVersion'], '2025-11-25');
    });
  }

  it('describes the server and its tools, and requires nothing of the client', async () => {
    const { result } = await exchange(legacy('initialize', { protocolVersion: '2025-06-18' }));
    assert.ok(result);
    serverInfo(result['serverInfo']);
    assert.deepEqual(result['capabilities'], { tools: {} });
    assert.match(String(result['instructions']), /list_files.*read_file.*edit_file.*Lines count from 0/);
    assert.ok(!('resultType' in result));
  });
});

describe('a request of the modern era', () => {
  it('discovers the server', async () => {
    const { result } = await exchange(modern('server/discover'));
    assert.ok(result);
    const { supportedVersions, capabilities, instructions, ttlMs, cacheScope, resultType, _meta } = result;
    assert.deepEqual(
      { supportedVersions, capabilities },
      { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    );
    assert.match(String(instructions), /list_files/);
    assert.ok(Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0);
    assert.deepEqual([cacheScope, resultType], ['public', 'complete']);
    serverInfo(Reflect.get(Object(_meta) as object, 'io.modelcontextprotocol/serverInfo'));
  });

  it('lists the tools as in the legacy era, and says how long the list is valid', async () => {
    const { result } = await exchange(modern('tools/list'));
    const { result: before } = await exchange(legacy('tools/list'));
    const { ttlMs, cacheScope, resultType, _meta, ...list } = result ?? {};
    assert.deepEqual(list, before);
    assert.ok(Number(ttlMs) > 0);
    assert.deepEqual([cacheScope, resultType, typeof _meta], ['public', 'complete', 'object']);
  });

  it('calls a tool, whose result is complete even if it failed', async () => {
    for (const outcome of [success, failure('not_found', "File 'a.txt' not found")]) {
      const { result } = await exchange(modern('tools/call', editCall), { outcome });
      assert.equal(result?.['resultType'], 'complete');
      assert.equal(result['isError'], !outcome.ok);
    }
  });
});

describe('a call of a tool', () => {
  it('reaches the operation, with lines counted from 1', async () => {
    const edits = [{ line: 0, operation: 'delete' }];
    const { calls } = await exchange(legacy('tools/call', { name: 'edit_file', arguments: { name: 'a.txt', edits } }));
    assert.deepEqual(
      calls.map(({ name, params, context }) => ({ name, params, lineBase: context.lineBase })),
      [
        {
          name: 'edit_file',
          params: { name: 'a.txt', edits: [{ line: 1, operation: 'delete' }], create_if_missing: true },
          lineBase: 0,
        },
      ],
    );
  });

  it('counts lines from 1 itself with --mcp-line-base=1', async () => {
    const params = { name: 'edit_file', arguments: { name: 'a.txt', edits: [{ line: 5, operation: 'delete' }] } };
    const { calls } = await exchange(legacy('tools/call', params), { mcpLineBase: 1 });
    assert.deepEqual(calls[0]?.params, { ...params.arguments, create_if_missing: true });
  });

  it('is marked as made by a model, with the parameters that the model left out', async () => {
    const outcome: Outcome = { ok: true, result: { ...success.result, content: '', total_lines: 0 } };
    const modelOf = async (name: string, given: object): Promise<unknown> => {
      const { calls } = await exchange(legacy('tools/call', { name, arguments: given }), { outcome });
      return calls.map(({ context }) => context.model);
    };
    const { name } = editCall.arguments;
    assert.deepEqual(await modelOf('edit_file', { name }), [{ filledIn: ['create_if_missing'], maxChars: 0 }]);
    assert.deepEqual(await modelOf('edit_file', { name, create_if_missing: true }), [{ filledIn: [], maxChars: 0 }]);
    assert.deepEqual(await modelOf('read_file', { name }), [{ filledIn: [], maxChars: 0 }]);
  });

  describe('has as long a text as its client is known to show', () => {
    const named = { ...modernMeta, 'io.modelcontextprotocol/clientInfo': { name: 'claude-code', version: '1' } };
    const pageFor = async (message: Message, mcpMaxChars?: number): Promise<unknown> => {
      const { calls } = await exchange(message, { mcpMaxChars });
      return calls[0]?.context.model?.maxChars;
    };
    const call = { name: 'list_files' };

    it('which a request of the modern era names', async () => {
      assert.equal(await pageFor(modern('tools/call', call, named)), 100_000);
      assert.equal(await pageFor(modern('tools/call', call)), 40_000);
      assert.equal(await pageFor(legacy('tools/call', call)), 40_000);
      assert.equal(
        await pageFor(legacy('tools/call', { ...call, _meta: { ...named, [versionKey]: undefined } })),
        40_000,
      );
    });

    it('unless --mcp-max-chars says how long it may be', async () => {
      for (const given of [0, 1_000, 1_000_000]) {
        assert.equal(await pageFor(modern('tools/call', call, named), given), given);
      }
    });
  });

  it('passes create_if_missing on as given', async () => {
    const given = { ...editCall.arguments, create_if_missing: false };
    const { calls } = await exchange(legacy('tools/call', { name: 'edit_file', arguments: given }));
    assert.deepEqual(calls[0]?.params, given);
  });

  for (const [what, params] of [
    ['without arguments', { name: 'list_files' }],
    ['with null', { name: 'list_files', arguments: null }],
  ] as const) {
    it(`may come ${what}`, async () => {
      assert.deepEqual((await exchange(legacy('tools/call', params))).calls[0]?.params, {});
    });
  }

  it('may come with its arguments as a string of JSON', async () => {
    const params = { ...editCall, arguments: JSON.stringify(editCall.arguments) };
    const { calls } = await exchange(legacy('tools/call', params));
    assert.deepEqual(calls[0]?.params, { ...editCall.arguments, create_if_missing: true });
  });

  for (const given of [[], 'x', 7, true]) {
    it(`leaves arguments that are not an object to validation, which tells the model: ${JSON.stringify(given)}`, async () => {
      const outcome = failure('invalid_params', 'Invalid params: params must be an object');
      const { result, calls } = await exchange(legacy('tools/call', { ...editCall, arguments: given }), { outcome });
      assert.deepEqual(calls[0]?.params, given);
      assert.equal(result?.['isError'], true);
    });
  }

  it('that fails returns the message and, on the next line, what to do', async () => {
    const outcome = failure('not_found', "File 'missing.txt' not found");
    assert.deepEqual((await exchange(legacy('tools/call', readCall), { outcome })).result, {
      content: [
        { type: 'text', text: "Error: File 'missing.txt' not found\nCall list_files to see which files exist." },
      ],
      isError: true,
    });
  });

  it('that is cancelled in time is not answered', async () => {
    const { result, code } = await exchange(legacy('tools/call', editCall), {
      outcome: failure('cancelled', 'Cancelled'),
    });
    assert.deepEqual([result, code], [undefined, undefined]);
  });

  it('shows the hash to the model that asks for it', async () => {
    const given = { ...editCall.arguments, return_hash: true };
    const { result } = await exchange(legacy('tools/call', { name: 'edit_file', arguments: given }));
    const content = result?.['content'] as { text: string }[];
    assert.equal(
      content[0]?.text,
      'File edited successfully: a.txt\nLines modified: 0\nTotal lines: 0\nFile created: false',
    );
    assert.deepEqual(content.slice(1), [{ type: 'text', text: 'Hash: abc' }]);
  });
});

describe('with --mcp-text-only', () => {
  const textOnly = { toolsets: ['files', 'storage'], mcpTextOnly: true } as const;

  it('a result is only the text for the model, in both eras', async () => {
    const given = { ...editCall, arguments: { ...editCall.arguments, return_hash: true } };
    for (const message of [legacy('tools/call', given), modern('tools/call', given)]) {
      const { structuredContent, ...members } = (await exchange(message)).result ?? {};
      assert.ok(structuredContent, 'without the flag');
      assert.deepEqual((await exchange(message, textOnly)).result, members);
    }
  });

  it('a failure is too, even of a path tool', async () => {
    const message = legacy('tools/call', { name: 'view', arguments: { path: 'a.txt' } });
    const data = { reason: 'file_not_found', path: 'a.txt' } as const;
    const outcome = failure('not_found', 'File not found: a.txt', { data });
    const { structuredContent, ...members } =
      (await exchange(message, { ...textOnly, mcpTextOnly: false, outcome })).result ?? {};
    assert.ok(structuredContent, 'without the flag');
    assert.deepEqual((await exchange(message, { ...textOnly, outcome })).result, members);
  });

  it('no tool has an output schema, which clients would enforce; the rest of the list stays', async () => {
    for (const message of [legacy('tools/list'), modern('tools/list')]) {
      const { tools, ...members } = (await exchange(message)).result ?? {};
      const stripped = (tools as Record<string, unknown>[]).map(({ outputSchema, ...tool }) => {
        assert.ok(outputSchema, 'without the flag');
        return tool;
      });
      assert.deepEqual((await exchange(message, { mcpTextOnly: true })).result, { tools: stripped, ...members });
    }
  });
});

describe('other legacy methods', () => {
  it('ping and logging/setLevel return an empty result', async () => {
    assert.deepEqual((await exchange(legacy('ping'))).result, {});
    assert.deepEqual((await exchange(legacy('logging/setLevel', { level: 'warning' }))).result, {});
  });
});

const unsupported = { code: -32022, status: 400 };
const badMeta = { code: -32602, status: 400 };
const badParams = { code: -32602, status: 200 };

const refusals: readonly (readonly [
  title: string,
  message: Message,
  error: { code: number; status: number },
  text: RegExp,
])[] = [
  [
    'an unknown tool',
    legacy('tools/call', { name: 'read_fil' }),
    badParams,
    /^Unknown tool: read_fil\. Did you mean 'read_file'\? The tools are list_files, /,
  ],
  [
    'a tool of a toolset that this server lacks',
    legacy('tools/call', { name: 'str_replace' }),
    badParams,
    /^Unknown tool: str_replace\. Start the server with --toolset=files,storage \(or all\) to have str_replace\. The tools are /,
  ],
  [
    'a tool with an inherited name',
    legacy('tools/call', { name: 'constructor' }),
    badParams,
    /^Unknown tool: constructor/,
  ],
  ['a tool without a name', legacy('tools/call', {}), badParams, /name must be a string/],
  ['a tool with a number for its name', modern('tools/call', { name: 1 }), badParams, /name must be a string/],
  [
    'params that are an array',
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] },
    badParams,
    /params must be an object/,
  ],
  ['a cursor', legacy('tools/list', { cursor: 'x' }), badParams, /no such cursor/],
  ['an unknown level', legacy('logging/setLevel', { level: 'loud' }), badParams, /level must be one of debug, /],
  ['no revision', legacy('initialize', {}), badParams, /protocolVersion must be a string/],
  ['a number for the revision', initialize(1), badParams, /protocolVersion must be a string/],
  ['null for the id', initialize('2025-11-25', null), { code: -32600, status: 400 }, /id must be/],
  [
    'a notification sent as a request',
    legacy('notifications/initialized'),
    { code: -32601, status: 200 },
    /^Method not found/,
  ],
  ['server/discover without a revision', legacy('server/discover'), badMeta, /_meta must hold .*protocolVersion/],
  [
    'a revision that is not a string',
    modern('tools/list', {}, { ...modernMeta, [versionKey]: 1 }),
    badMeta,
    /protocolVersion must be a string/,
  ],
  [
    'a revision that is null',
    modern('tools/list', {}, { ...modernMeta, [versionKey]: null }),
    badMeta,
    /protocolVersion must be a string/,
  ],
  [
    'no capabilities',
    modern('tools/list', {}, { [versionKey]: '2026-07-28' }),
    badMeta,
    /clientCapabilities, an object/,
  ],
  [
    'capabilities that are an array',
    modern('tools/list', {}, { ...modernMeta, [capabilitiesKey]: [] }),
    badMeta,
    /clientCapabilities, an object/,
  ],
  [
    'an unknown revision',
    modern('tools/list', {}, { ...modernMeta, [versionKey]: '1900-01-01' }),
    unsupported,
    /1900-01-01.*2026-07-28/,
  ],
  [
    'a revision that requires initialize',
    modern('tools/list', {}, { ...modernMeta, [versionKey]: '2025-11-25' }),
    unsupported,
    /by initialize/,
  ],
  ...[
    'ping',
    'initialize',
    'logging/setLevel',
    'subscriptions/listen',
    'resources/list',
    'read_file',
    'constructor',
  ].map(
    (method) =>
      [`${method} in the modern era`, modern(method), { code: -32601, status: 404 }, /^Method not found/] as const,
  ),
];

describe('a bad request', () => {
  for (const [title, message, error, text] of refusals) {
    it(`is refused without a call: ${title}`, async () => {
      const refused = await exchange(message);
      assert.deepEqual({ code: refused.code, status: refused.status }, error);
      assert.match(`${refused.text ?? ''} ${refused.details ?? ''}`, text);
      assert.match(refused.details ?? '', /^\w.*\.$/);
      assertNoRepetition(refused.text ?? '', refused.details ?? '');
      assert.equal(refused.calls.length, 0);
    });
  }

  it('explains how to call a tool whose name was sent as a method', async () => {
    const { details } = await exchange(legacy('read_file', { name: 'a.txt' }));
    assert.match(details ?? '', /^read_file is a tool: call it with the method tools\/call\. The methods are /);
    const absent = await exchange(legacy('apply_edits', {}));
    assert.match(absent.details ?? '', /^The methods are /, 'which this server does not have');
  });

  it('names the supported revisions', async () => {
    const mcp = createMcp({ config: defaults, call: () => success });
    const refused = mcp.refuse({ id: 1, method: 'tools/list', params: { _meta: { [versionKey]: '2099-01-01' } } });
    assert.ok(refused);
    const { supported, requested } = refused.data;
    assert.deepEqual({ supported, requested }, { supported: ['2026-07-28'], requested: '2099-01-01' });
  });

  it('names a writing tool that does not exist with --read-only', async () => {
    const { code, text } = await exchange(legacy('tools/call', editCall), { readOnly: true });
    assert.equal(code, -32602);
    assert.match(text ?? '', new RegExp(`The tools are ${offered(['files'], true).join(', ')}\\.$`));
  });
});
