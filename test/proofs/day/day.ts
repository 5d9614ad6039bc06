/**
 * `npm run prove -- day`: a coding agent's day, as a script. It makes the calls that a model makes who reads the tools,
 * and counts what it pays: calls, and the characters that it sends and is answered. Answers that grow are noticed here.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Arguments, OperationName } from '../../../src/core/schemas.js';
import { table } from '../../../bench/report/table.js';
import { serverArguments } from '../../../src/packaging/clients/server.js';
import { withDirectory } from '../../directory.js';
import { clientInfo } from '../../fronts/mcp.js';
import { project } from './project.js';

/** What the day may cost: its calls, and a tenth more characters than when this was written. */
const most = { calls: 13, characters: 10_600, listed: 9_300 };

/** One task: what the agent sends, in order, and whether its files are then as they should be. */
interface Task {
  readonly what: string;
  readonly calls: readonly Call[];
  /** The text of the last answer contains this. */
  readonly told?: string;
  /** The contents of files afterwards; null: gone. */
  readonly files?: Readonly<Record<string, string | null | ((before: string) => string)>>;
}

type Call = {
  readonly [Name in OperationName]: readonly [Name, Arguments[Name], 'fails'?];
}[OperationName];

const tasks: readonly Task[] = [
  { what: 'see what there is', calls: [['glob', { pattern: '**/*' }]], told: 'src/users.js' },
  {
    what: 'find who calls a function',
    calls: [['grep', { pattern: 'loadUser(', literal: true }]],
    told: 'src/pages/page13.js',
  },
  {
    what: 'read three files',
    calls: [['view', { files: [{ path: 'src/main.js' }, { path: 'src/settings.js' }, { path: 'README.md' }] }]],
    told: '==> README.md <==',
  },
  {
    what: 'change a setting where it is used and described',
    calls: [
      [
        'apply_changes',
        {
          changes: [
            { path: 'src/settings.js', edits: [{ old_string: 'port: 8080', new_string: 'port: 9090' }] },
            { path: 'README.md', edits: [{ old_string: 'port 8080', new_string: 'port 9090' }] },
          ],
        },
      ],
    ],
    files: {
      'src/settings.js': (before) => before.replace('8080', '9090'),
      'README.md': (before) => before.replace('8080', '9090'),
    },
  },
  {
    what: 'rename a function in 14 files',
    calls: [
      [
        'apply_changes',
        {
          changes: [
            {
              glob: 'src/**/*.js',
              edits: [{ old_string: 'loadUser', new_string: 'fetchUser', replace_all: true, whole_word: true }],
            },
          ],
        },
      ],
    ],
    files: {
      'src/pages/page07.js': (before) => before.replaceAll(/\bloadUser\b/g, 'fetchUser'),
      'src/users.js': (before) => before.replace('loadUser(', 'fetchUser('),
      'build/out.js': (before) => before,
    },
  },
  {
    what: 'mend an edit whose indentation was guessed',
    calls: [
      [
        'apply_changes',
        {
          changes: [
            {
              path: 'src/main.js',
              edits: [{ old_string: '  server.listen(settings.port);', new_string: '  server.listen(port);' }],
            },
          ],
        },
        'fails',
      ],
      [
        'apply_changes',
        {
          changes: [
            {
              path: 'src/main.js',
              edits: [{ old_string: 'server.listen(settings.port);', new_string: 'server.listen(port);' }],
            },
          ],
        },
      ],
    ],
    files: { 'src/main.js': (before) => before.replace('settings.port', 'port') },
  },
  {
    what: 'move a module and change it',
    calls: [
      [
        'apply_changes',
        {
          changes: [
            {
              path: 'src/price.js',
              rename_to: 'src/tax/price.js',
              edits: [{ old_string: '1.19', new_string: 'rate' }],
            },
          ],
        },
      ],
    ],
    files: { 'src/price.js': null, 'src/tax/price.js': 'export function price(net) {\n  return net * rate;\n}\n' },
  },
  {
    what: 'add a module and remove another',
    calls: [
      [
        'apply_changes',
        {
          changes: [
            { path: 'src/tax/rate.js', content: 'export const rate = 1.19;\n' },
            { path: 'src/legacy.js', delete: true },
          ],
        },
      ],
    ],
    files: { 'src/tax/rate.js': 'export const rate = 1.19;\n', 'src/legacy.js': null },
  },
  {
    what: 'look at one function of a long file',
    calls: [['grep', { pattern: 'function step150', context: 3 }]],
    told: 'order.total * 150',
  },
  {
    what: 'count what is left',
    calls: [['grep', { pattern: '\\bloadUser\\b', mode: 'count' }]],
    told: 'No matches',
  },
  {
    what: 'edit a file with the line breaks of Windows',
    calls: [
      [
        'apply_changes',
        {
          changes: [
            {
              path: 'windows/start.cmd',
              edits: [{ old_string: 'main.js\npause\n', new_string: 'main.js\n' }],
            },
          ],
        },
      ],
    ],
    files: { 'windows/start.cmd': '@echo off\r\nnode src\\main.js\r\n' },
  },
  {
    what: 'see an edit before it is made',
    calls: [
      [
        'apply_changes',
        { changes: [{ path: 'package.json', edits: [{ old_string: '1.4.0', new_string: '1.5.0' }] }], dry_run: true },
      ],
    ],
    told: '+  "version": "1.5.0"',
    files: { 'package.json': (before) => before },
  },
];

interface Cost {
  readonly what: string;
  readonly calls: number;
  sent: number;
  answered: number;
}

describe("an agent's day", () => {
  it('takes no more calls and characters than it did', () =>
    withDirectory(project, async (directory) => {
      const cli = fileURLToPath(new URL('../../../dist/src/cli.cjs', import.meta.url));
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [cli, ...serverArguments(directory), '--log-level=silent'],
      });
      const client = new Client(clientInfo);
      await client.connect(transport);
      try {
        const listed =
          JSON.stringify((await client.listTools()).tools).length + (client.getInstructions() ?? '').length;
        const costs: Cost[] = [];
        for (const task of tasks) costs.push(await carryOut(client, directory, task));
        const sum = (of: (cost: Cost) => number): number => costs.reduce((total, cost) => total + of(cost), 0);
        const [calls, sent, answered] = [
          sum((cost) => cost.calls),
          sum((cost) => cost.sent),
          sum((cost) => cost.answered),
        ];
        const row = ({ what, ...cost }: Cost): string[] => [what, ...Object.values(cost).map(String)];
        const rows = [...costs, { what: 'all', calls, sent, answered }].map(row);
        console.log(table(['task', 'calls', 'characters sent', 'answered'], rows));
        console.log(`${String(listed)} characters of instructions and tools before the first call`);
        assert.ok(calls <= most.calls, `${String(calls)} calls`);
        assert.ok(sent + answered <= most.characters, `${String(sent + answered)} characters`);
        assert.ok(listed <= most.listed, `${String(listed)} characters of instructions and tools`);
      } finally {
        await client.close();
      }
    }));
});

async function carryOut(
  client: Client,
  directory: string,
  { what, calls, told = '', files = {} }: Task,
): Promise<Cost> {
  const contentOf = (path: string): string => readFileSync(join(directory, path), 'utf8');
  const expected = Object.entries(files).map(([path, content]) => {
    return [path, typeof content === 'function' ? content(contentOf(path)) : content] as const;
  });
  const cost = { what, calls: calls.length, sent: 0, answered: 0 };
  let text = '';
  for (const [name, params, fails] of calls) {
    cost.sent += JSON.stringify(params).length;
    const answer = CallToolResultSchema.parse(await client.callTool({ name, arguments: { ...params } }));
    text = answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    cost.answered += text.length;
    assert.equal(answer.isError === true, fails === 'fails', `${what}: ${text}`);
  }
  assert.ok(text.includes(told), `${what}: ${text}`);
  for (const [path, content] of expected) {
    if (content === null) assert.ok(!existsSync(join(directory, path)), `${what}: ${path} is still there`);
    else assert.equal(contentOf(path), content, what);
  }
  return cost;
}
