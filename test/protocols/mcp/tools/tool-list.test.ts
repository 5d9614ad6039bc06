/** The tools as a model sees them, whose tokens every agent pays for in every conversation. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LineBase } from '../../../../src/core/errors.js';
import { operations, rows, type Operation, type OperationName, type Schema } from '../../../../src/core/operations.js';
import { availableOperations } from '../../../../src/config/offer.js';
import type { McpConfig } from '../../../../src/protocols/mcp/methods.js';
import { historyLimits } from '../../../operations/offered.js';
import { createMcp } from '../../../../src/protocols/mcp/mcp.js';
import { inputSchema, instructions, narrowed, toolOf } from '../../../../src/protocols/mcp/tools/tools.js';

const config: McpConfig = {
  toolsets: ['files'],
  readOnly: false,
  names: 'portable',
  mcpLineBase: 0,
  mcpMaxChars: 0,
  mcpTextOnly: false,
  serverName: 'x',
};

async function toolsList(changes: Partial<McpConfig> = {}): Promise<string> {
  const mcp = createMcp({ config: { ...config, ...changes }, call: () => assert.fail('a list calls nothing') });
  const reply = await mcp.answer({ id: 1, method: 'tools/list', params: {} }, { front: 'rest', requestId: 'r' });
  assert.ok(reply !== null && 'result' in reply);
  return reply.result.join('');
}

interface ListedTool {
  readonly name: string;
  readonly _meta?: object;
}

async function toolsOf(changes: Partial<McpConfig>): Promise<readonly ListedTool[]> {
  return (JSON.parse(await toolsList(changes)) as { tools: ListedTool[] }).tools;
}

const every = ['files', 'storage', 'edits', 'search', 'changes'] as const;

/** The schema and all nested ones. */
function everySchema(schema: Schema): Schema[] {
  const below = [...Object.values(schema.properties ?? {}), ...(schema.items === undefined ? [] : [schema.items])];
  return [schema, ...below.flatMap(everySchema)];
}

const names = 'portable';

function inputs(lineBase: LineBase, rows: Iterable<Operation> = operations.values()): Schema[] {
  return [...rows].map((operation) => inputSchema(operation, { lineBase, names }));
}

describe('the list of tools', () => {
  it('of the default toolset stays under 8 kB', async () => {
    const bytes = Buffer.byteLength(await toolsList());
    assert.ok(bytes < 8000, `${bytes} bytes`);
  });

  it('for coding agents stays under 9 kB', async () => {
    const bytes = Buffer.byteLength(await toolsList({ toolsets: ['agent'] }));
    assert.ok(bytes < 9000, `${bytes} bytes`);
  });

  it('of all toolsets stays under 20 kB', async () => {
    const bytes = Buffer.byteLength(await toolsList({ toolsets: ['files', 'storage', 'edits', 'search', 'changes'] }));
    assert.ok(bytes < 20_000, `${bytes} bytes`);
  });

  it('with a history is at most 1.5 kB longer', async () => {
    for (const [toolsets, most] of [
      [['agent'], 10_500],
      [[...every, 'history'], 21_500],
    ] as const) {
      const bytes = Buffer.byteLength(await toolsList({ toolsets, history: historyLimits }));
      assert.ok(bytes < most, `${toolsets.join()}: ${bytes} bytes`);
    }
  });

  it('says nothing of a history without one', async () => {
    assert.doesNotMatch(
      await toolsList({ toolsets: [...every, 'history'] }),
      /change_id|before_change|"undo"|"history"/,
    );
  });

  for (const toolsets of [every, ['agent'], [...every, 'agent']] as const) {
    it(`has less than 5,000 bytes for each tool of ${toolsets.join()}`, async () => {
      for (const tool of await toolsOf({ toolsets })) {
        const bytes = Buffer.byteLength(JSON.stringify(tool));
        assert.ok(bytes < 5000, `${tool.name}: ${bytes} bytes`);
      }
    });
  }

  it('asks clients to show long results of what reads, and never to hide what an agent needs', async () => {
    const shown = { 'anthropic/maxResultSizeChars': 500_000 };
    const loaded = { 'anthropic/alwaysLoad': true };
    const hints = async (toolsets: McpConfig['toolsets']): Promise<object> =>
      Object.fromEntries((await toolsOf({ toolsets })).map(({ name, _meta }) => [name, _meta]));
    assert.deepEqual(await hints(['files']), { list_files: shown, read_file: shown, edit_file: undefined });
    assert.deepEqual(await hints(['agent']), {
      view: { ...shown, ...loaded },
      delete: loaded,
      rename: loaded,
      grep: { ...shown, ...loaded },
      glob: { ...shown, ...loaded },
      write: loaded,
      apply_changes: loaded,
    });
    const both = Object.entries(await hints(['storage', 'agent']));
    assert.deepEqual(both.find(([name]) => name === 'create')?.[1], undefined);
    assert.deepEqual(both.find(([name]) => name === 'view')?.[1], { ...shown, ...loaded });
    for (const [name, given] of Object.entries(await hints(every))) {
      assert.deepEqual(given, rows[name as OperationName].writes ? undefined : shown, name);
    }
  });

  it('says what agents had to guess of apply_changes, and of globs', async () => {
    const tools = await toolsOf({ toolsets: ['agent'] });
    const told = (wanted: string): string => JSON.stringify(tools.find(({ name }) => name === wanted));
    for (const words of [
      /rename_to[^}]*New path of a file \(rename moves directories\)[^}]*Also beside edits or content/,
      /\\"\*\\" for any version/,
      /Of UTF-8 only: else send content in base64/,
      /start is behind a BOM/,
      /\\n in old_string is taken for the line breaks of the file/,
      /\.\/name is the top directory only/,
    ]) {
      assert.match(told('apply_changes'), words);
    }
    assert.match(told('glob'), /\.\/\*\.ts \(top directory only\)/);
  });

  it('is the same each time', async () => {
    assert.equal(await toolsList(), await toolsList());
  });

  it('has one tool for each row of the operation table, in its order', async () => {
    const { tools } = JSON.parse(await toolsList()) as { tools: { name: string; title: string }[] };
    const rows = [...availableOperations(config).values()];
    assert.deepEqual(
      tools.map(({ name, title }) => ({ name, title })),
      rows.map(({ name, title }) => ({ name, title })),
    );
  });
});

describe('the schemas of the tools', () => {
  it('are plain, with no keyword that some client rejects', () => {
    const known = [
      'type',
      'description',
      'properties',
      'required',
      'items',
      'enum',
      'default',
      'minimum',
      'maximum',
      'maxItems',
      'minItems',
      'minLength',
      'maxLength',
      'pattern',
      'additionalProperties',
    ];
    for (const schema of [...inputs(0), ...[...operations.values()].map((row) => toolOf(row).output)].flatMap(
      everySchema,
    )) {
      for (const keyword of Object.keys(schema)) assert.ok(known.includes(keyword), keyword);
    }
  });

  it('name and describe every parameter that the operation takes', () => {
    for (const operation of operations.values()) {
      const { properties = {} } = inputSchema(operation, { lineBase: 0, names });
      assert.deepEqual(Object.keys(properties), Object.keys(operation.params.properties ?? {}));
      const { selfExplanatory = [] } = toolOf(operation);
      for (const [name, { description = '' }] of Object.entries(properties)) {
        if (!selfExplanatory.includes(name)) assert.match(description, /\.$/);
      }
    }
  });

  it('accept no unnamed member, at any depth', () => {
    const objects = inputs(0)
      .flatMap(everySchema)
      .filter(({ type }) => type === 'object');
    assert.ok(objects.length > operations.size);
    for (const schema of objects) assert.equal(schema.additionalProperties, false, JSON.stringify(schema));
  });

  it("contain the server's configured rule for file names", () => {
    for (const [names, pattern] of [
      ['portable', '^[a-zA-Z0-9._-]+$'],
      ['unicode', '^[^/\\\\:*?"<>|]+$'],
    ] as const) {
      for (const row of [rows.read_file, rows.edit_file]) {
        const { name } = inputSchema(row, { lineBase: 0, names }).properties ?? {};
        assert.deepEqual([name?.minLength, name?.maxLength, name?.pattern], [1, 255, pattern]);
      }
    }
  });

  it('say what a tool does if a parameter is omitted', () => {
    const edit = rows.edit_file;
    assert.equal(inputSchema(edit, { lineBase: 0, names }).properties?.['create_if_missing']?.default, true);
    assert.equal(edit.params.properties?.['create_if_missing']?.default, false, 'the other fronts are not changed');
  });

  it('alone contain the line base', () => {
    const rows = [...availableOperations(config).values()];
    for (const lineBase of [0, 1] as const) {
      const least = inputs(lineBase, rows)
        .flatMap(everySchema)
        .flatMap(({ minimum }) => minimum ?? []);
      assert.deepEqual([...new Set(least)], [lineBase]);
      const others = [...operations.values()].filter(({ lineNumbers }) => lineNumbers === undefined);
      assert.deepEqual(inputs(lineBase, others), inputs(1, others));
      const words = rows.map((row) => toolOf(row).description(lineBase)).join();
      assert.match(words, new RegExp(`Lines count from ${lineBase}`));
      assert.doesNotMatch(words, new RegExp(`from ${1 - lineBase}`));
    }
  });
});

describe('the instructions', () => {
  const rows = (readOnly: boolean): Iterable<Operation> => availableOperations({ ...config, readOnly }).values();

  it('introduce every tool by name, and the line base', () => {
    const text = instructions(rows(false), 1);
    for (const name of availableOperations(config).keys()) assert.ok(text.includes(name), name);
    assert.match(text, /Lines count from 1\./);
    assert.match(text, /return_hash .* expected_hash/);
  });

  for (const toolsets of [['files'], ['storage'], ['edits'], ['search'], ['changes'], ['agent'], every] as const) {
    for (const readOnly of [false, true]) {
      const offered = [...availableOperations({ toolsets, readOnly }).values()];
      if (offered.length === 0) continue;
      const title = `${toolsets.join()}${readOnly ? ', to read' : ''}`;

      it(`say in their first 512 characters what the tools of ${title} are for, and to use them first`, () => {
        const [beginning = ''] =
          /^Tools to .* the text files of one directory\. .*?\.(?= )/.exec(instructions(offered, 0).slice(0, 512)) ??
          [];
        assert.match(beginning, / Use them in place of your own file tools and of shell commands for these files/);
        assert.equal(/change is saved whole/.test(beginning), !offered.every(({ writes }) => !writes));
      });

      it(`have at most 2,048 characters for ${title}, whatever a caller may use`, () => {
        const many = Array.from({ length: 1000 }, (_, index) => `directory-${index}/**`);
        const text = narrowed(instructions(offered, 0, true), { server: many, token: many, changes: many });
        assert.ok(text.length <= 2048, `${text.length} characters`);
        assert.match(text, / This server allows only .*\. This token allows only .*, and changes only of .*…\.$/);
      });
    }
  }

  it('say which tools count lines from 0 if others do not', () => {
    const all = [
      ...availableOperations({ ...config, toolsets: ['files', 'storage', 'edits', 'search', 'changes'] }).values(),
    ];
    assert.match(
      instructions(all, 0),
      / Lines count from 0 in read_file and edit_file, and from 1 in the other tools\./,
    );
    assert.match(instructions(all, 1), / Lines count from 1\./);
    assert.match(instructions(rows(false), 0), / Lines count from 0\./);
    const readOnly = availableOperations({
      toolsets: ['files', 'storage', 'edits', 'search', 'changes'],
      readOnly: true,
    });
    assert.match(
      instructions(readOnly.values(), 0),
      / Lines count from 0 in read_file, and from 1 in the other tools\. /,
    );
  });

  it('explain how each toolset names its files', () => {
    const all = availableOperations({ ...config, toolsets: ['files', 'storage', 'edits', 'search', 'changes'] });
    const text = instructions(all.values(), 0);
    for (const name of all.keys()) assert.ok(text.includes(name), name);
    assert.match(text, /plain file names.*Paths are relative/);
    assert.equal(text.match(/Paths are relative/g)?.length, 1);
  });

  it('take the hash from a result if no tool reads', () => {
    const text = instructions(availableOperations({ ...config, toolsets: ['edits'] }).values(), 1);
    assert.match(text, /since your last edit, make that with return_hash and send that hash as expected_hash\./);
    assert.doesNotMatch(text, /read it/);
  });

  it('say that it is the token that allows only reading, where the server has tools that write', () => {
    const text = instructions(rows(true), 1, true);
    assert.match(text, / Your token allows only reading\./);
    assert.doesNotMatch(text, /server is read-only/);
  });

  it('say that a server is read-only, and name no tool that it lacks', () => {
    const text = instructions(rows(true), 0);
    assert.match(text, /read-only/);
    assert.doesNotMatch(text, /edit_file|expected_hash/);
  });
});
