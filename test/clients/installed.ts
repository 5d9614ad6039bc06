/** What install links and other configurations name, as the client that reads them starts it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { npmPackage } from '../../src/packaging/clients/registry-entry.js';
import { clientInfo } from '../fronts/mcp.js';

export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

interface Input {
  readonly id: string;
}

/** Of a link: who asks, and what is to be started for a directory, which the editor replaces. */
export interface Decoded {
  readonly name: string;
  readonly start: (directory: string) => Start;
}

/** The install links of a page, wherever they stand. */
export function linksIn(page: string): string[] {
  return page.match(/(?:https|cursor|vscode):\S*\/install[^\s)]*\?[^\s)]+/g) ?? [];
}

/** Read a link as its editor does. */
export function decoded(link: string): Decoded {
  const [address = '', query = ''] = link.split('?');
  const members = new URLSearchParams(query);
  const name = members.get('name') ?? '';
  switch (address) {
    case 'https://cursor.com/en/install-mcp':
    case 'cursor://anysphere.cursor-deeplink/mcp/install': {
      const config = JSON.parse(Buffer.from(members.get('config') ?? '', 'base64').toString()) as Start;
      return { name, start: (directory) => filledIn(config, { '${workspaceFolder}': directory }) };
    }
    case 'https://insiders.vscode.dev/redirect/mcp/install': {
      const config = JSON.parse(members.get('config') ?? '') as Start;
      return { name, start: asked(config, JSON.parse(members.get('inputs') ?? '') as Input[]) };
    }
    case 'vscode:mcp/install': {
      const all = JSON.parse(decodeURIComponent(query)) as Start & { readonly name: string; readonly inputs: Input[] };
      return { name: all.name, start: asked(all, all.inputs) };
    }
    default:
      throw new Error(`unknown link: ${link}`);
  }
}

function asked(start: Start, [input, ...more]: readonly Input[]): Decoded['start'] {
  assert.ok(input !== undefined && more.length === 0);
  return (directory) => filledIn(start, { [`\${input:${input.id}}`]: directory });
}

/** With placeholders replaced; each is there, and no other. */
export function filledIn({ command, args }: Start, values: Readonly<Record<string, string>>): Start {
  const filled = args.map((arg) =>
    Object.entries(values).reduce((text, [placeholder, value]) => text.replace(placeholder, () => value), arg),
  );
  for (const placeholder of Object.keys(values))
    assert.ok(
      args.some((arg) => arg.includes(placeholder)),
      placeholder,
    );
  assert.doesNotMatch(filled.join(' '), /\$\{/);
  return { command, args: filled };
}

/**
 * Start a server as a client does and let it write and read a file in the directory that it serves.
 * @returns the names of its tools
 */
export async function toolsThatWork(
  { command, args }: Start,
  directory: string,
  surroundings: { readonly cwd: string; readonly env?: Record<string, string> },
): Promise<string[]> {
  const client = new Client(clientInfo);
  await client.connect(new StdioClientTransport({ command, args: [...args], ...surroundings, stderr: 'ignore' }));
  try {
    const { tools } = await client.listTools();
    await client.callTool({ name: 'write', arguments: { path: 'new/a.txt', content: 'written\n' } });
    assert.equal(await readFile(join(directory, 'new/a.txt'), 'utf8'), 'written\n');
    const { content, isError } = await client.callTool({ name: 'view', arguments: { path: 'new/a.txt' } });
    assert.deepEqual([isError, content], [false, [{ type: 'text', text: 'written\n' }]]);
    return tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

/**
 * How a client starts the package of a server.json.
 * @param join flag and value, which clients pass as one argument or as two
 */
export function startOf(
  { identifier, version, runtimeHint, runtimeArguments, packageArguments }: typeof npmPackage,
  directory: string,
  join: (flag: string, value: string) => string[],
): Start {
  const texts = (list: typeof packageArguments): string[] =>
    list.flatMap(({ type, name = '', value = directory }) => (type === 'named' ? join(name, value) : [value]));
  const args = [...texts(runtimeArguments), `${identifier}@${version}`, ...texts(packageArguments)];
  return { command: runtimeHint, args };
}
