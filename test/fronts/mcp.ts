/** MCP as a front for the shared cases, through the official clients, which check each answer against its schema. */
import assert from 'node:assert/strict';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { operations, rows, type OperationName, type Results } from '../../src/core/operations.js';
import type { Answer, Front, Session } from './fronts.js';
import { cli, flags, startHttpServer } from './server-process.js';

type Json = Readonly<Record<string, unknown>>;

/** The part of either client that the tests use. */
interface AnyClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string; readonly outputSchema?: unknown }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<Json>;
  close(): Promise<void>;
}

export interface Connected {
  readonly client: AnyClient;
  /** Ends the server. @returns its exit code, if known */
  readonly end: () => Promise<number | null>;
}

export const clientInfo = { name: 'tests', version: '1.0.0' };
const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

export type ConnectionName =
  'sdk 1.x over stdio' | 'sdk 1.x over HTTP' | 'client 2.x over stdio' | 'client 2.x over HTTP';

type Connect = (directory: string, options: Json) => Promise<Connected>;

/** The official clients over both transports; each is connected, and knows the schemas of the tools. */
export const connections: Readonly<Record<ConnectionName, Connect>> = {
  'sdk 1.x over stdio': async (directory, options) => {
    const client = new Client(clientInfo);
    await client.connect(new StdioClientTransport(program(directory, options)));
    return connected(client);
  },
  'sdk 1.x over HTTP': async (directory, options) => {
    const server = await startHttpServer(directory, options);
    const client = new Client(clientInfo);
    // The SDK's optional members do not admit undefined, although it passes that itself.
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)) as Parameters<
      Client['connect']
    >[0];
    await client.connect(transport);
    return connected(client, () => server.stop());
  },
  'client 2.x over stdio': async (directory, options) => {
    const client = new ModernClient(clientInfo, modern);
    await client.connect(new ModernStdio(program(directory, options)));
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    return connected(client);
  },
  'client 2.x over HTTP': async (directory, options) => {
    const server = await startHttpServer(directory, options);
    const client = new ModernClient(clientInfo, modern);
    await client.connect(new ModernHttp(new URL(`${server.url}/mcp`)));
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    return connected(client, () => server.stop());
  },
};

async function connected(client: AnyClient, stop: () => Promise<number | null> = async () => 0): Promise<Connected> {
  // From now on the client checks structuredContent.
  await client.listTools();
  return {
    client,
    end: async () => {
      await client.close();
      return stop();
    },
  };
}

function program(directory: string, options: Json): { command: string; args: string[] } {
  const args = [cli, `--dir=${directory}`, '--transport=stdio', '--log-level=silent', ...flags(options)];
  return { command: process.execPath, args };
}

/** A front whose callers count lines from `lineBase`; cases count from 1. */
export function mcpFront(connection: ConnectionName, lineBase: 0 | 1): Front {
  return {
    name: `MCP by ${connection}, lines from ${String(lineBase)}`,
    tells: (operation, result) => (operation === 'list_files' ? listed(result) : result),
    open: async (directory, options): Promise<Session> => {
      // Cases are about whole results; mcp-sizes.test.ts is about pages.
      const whole = { mcpMaxChars: 2_000_000, mcpLineBase: lineBase };
      const { client, end } = await connections[connection](directory, { ...options, ...whole });
      return {
        call: async (operation, params) => {
          // The clients assume that it matches their types.
          const less = lessOf(operation, lineBase);
          const given = argumentsOf(operation, params, less) as Record<string, unknown>;
          try {
            const { content, structuredContent, isError } = await client.callTool({
              name: operation,
              arguments: given,
            });
            const texts = textsOf(content);
            if (isError === true) return told(texts[0] ?? '', structuredContent, less);
            assert.equal(isError, false);
            assert.ok(isRecord(structuredContent));
            const result = resultOf(operation, params, texts, structuredContent, less);
            return { ok: true, result, told: texts[0] ?? '' };
          } catch (error) {
            if (!(error instanceof Error && 'code' in error)) throw error;
            return failed(error.message.replace(/^MCP error -32602: /, ''), {});
          }
        },
        close: end,
      };
    },
  };
}

/** How much lower the flat tools count than the cases; other tools count as the cases do. */
function lessOf(operation: string, lineBase: 0 | 1): number {
  return operations.get(operation)?.toolset === 'files' ? 1 - lineBase : 0;
}

/** A case's request to other fronts, in the form an MCP client sends. */
function argumentsOf(operation: string, params: unknown, less: number): unknown {
  const moved = moveLines(params, -less);
  if (operation !== 'edit_file' || !isRecord(moved) || 'create_if_missing' in moved) return moved;
  return { ...moved, create_if_missing: false };
}

function moveLines(value: unknown, by: number): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => moveLines(item, by));
  if (!isRecord(value)) return value;
  const moved = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    ['line', 'start_line', 'end_line'].includes(name) && typeof member === 'number'
      ? member + by
      : moveLines(member, by),
  ]);
  return Object.fromEntries(moved);
}

/** A tool's report of a success. */
interface Told {
  readonly params: Json;
  readonly text: string;
  /** Its structured content, without the hash. */
  readonly members: Json;
  readonly less: number;
}

/** Checks a tool's text against its structure. @returns what the other fronts return */
type Reading = (told: Told) => Json;

const changed: Reading = ({ text, members }) => {
  assert.equal(text, storageText(members, text));
  return members;
};

/** For tools whose text can be derived from their structure, or whose structure omits something. */
const readings: Readonly<Partial<Record<OperationName, Reading>>> = {
  list_files: ({ text, members }) => {
    assert.equal(text, listText(members));
    return members;
  },
  read_file: readText,
  edit_file: ({ params, text, members }) => {
    const { lines_modified, new_total_lines, file_created } = members;
    assert.equal(
      text,
      `File edited successfully: ${String(params['name'])}\nLines modified: ${String(lines_modified)}\nTotal lines: ${String(new_total_lines)}\nFile created: ${String(file_created)}`,
    );
    return members;
  },
  view: ({ text, members }) => {
    assertViewText(text, members);
    return members;
  },
  create: changed,
  str_replace: changed,
  insert: changed,
  delete: changed,
  rename: changed,
  apply_edits: changed,
  apply_changes: ({ text, members }) => {
    // Only a case can know where line breaks were taken so (`told`).
    const shown = text.replaceAll(/^.* \(line breaks taken as .*\)\n/gm, '');
    assert.equal(shown, changesText(members, shown));
    return members;
  },
};

/** Results with a hash for each of several files, and the member that lists them. */
const listsWithHashes: Readonly<Partial<Record<OperationName, string>>> = {
  grep: 'files',
  apply_changes: 'changes',
  undo: 'changes',
};

function hashesOfEach(files: unknown): string {
  assert.ok(Array.isArray(files));
  return files
    .filter(({ hash }: Json) => hash !== undefined)
    .map(({ hash, path, new_path = path }: Json) => `Hash: ${String(hash)} ${String(new_path)}`)
    .join('\n');
}

/** The result that the other fronts return, reconstructed from the text and the structured content. */
function resultOf(
  operation: OperationName,
  params: unknown,
  [text = '', ...more]: readonly string[],
  { hash, ...members }: Json,
  less: number,
): Record<string, unknown> {
  const asked = isRecord(params) ? params : {};
  const { params: takes, result: whole } = rows[operation];
  const listOfEach = members['type'] === 'files' ? 'files' : listsWithHashes[operation];
  const ofEach = listOfEach !== undefined;
  const mayHaveHash =
    Object.hasOwn(takes.properties ?? {}, 'return_hash') && members['type'] !== 'directory' && !ofEach;
  if (hash !== undefined || mayHaveHash) assert.match(String(hash), /^[0-9a-f]{16}$/);
  const hashes = ofEach ? hashesOfEach(members[listOfEach]) : `Hash: ${String(hash)}`;
  assert.deepEqual(more, asked['return_hash'] === true && hashes !== '' ? [hashes] : []);
  const reading = readings[operation];
  if (reading === undefined) {
    // Its text comes from its cases (`told`); a test of the table requires one.
    for (const name of whole.required ?? []) {
      const advice = `test/fronts/mcp.ts must say how a test reads what ${operation} tells: its structure has no ${name}`;
      assert.ok(Object.hasOwn(members, name), advice);
    }
  }
  const result = reading?.({ params: asked, text, members, less }) ?? members;
  return { ...result, ...(asked['return_hash'] === true && !ofEach ? { hash } : {}) };
}

function readText({ params, text, members, less }: Told): Json {
  const { name, total_lines, ...bounds } = members;
  const total = Number(total_lines);
  const { start_line, end_line } = params;
  const ranged = start_line !== undefined || end_line !== undefined;
  const first = Number(start_line ?? 1) - less;
  const last = Math.min(Number(end_line ?? total), total) - less;
  assert.equal(name, params['name']);
  assert.deepEqual(bounds, total === 0 ? {} : { start_line: first, end_line: last });
  const heading = `File: ${String(name)} (${ranged && total > 0 ? `lines ${first}-${last} of ${total} total` : `${total} lines`})\n\n`;
  assert.ok(text.startsWith(heading), text.slice(0, 100));
  const range = {
    ...(start_line === undefined ? {} : { start_line }),
    ...(end_line === undefined ? {} : { end_line }),
  };
  return { content: text.slice(heading.length), total_lines: total, ...(ranged ? { range_requested: range } : {}) };
}

const tookCrlf = '(line breaks taken as \\r\\n, as in the file)';

/** The text for a view: the content under its heading; for a directory, a line for each entry. */
function assertViewText(text: string, members: Json): void {
  const { content, encoding, entries, files, size, total_lines, range_requested } = members;
  if (Array.isArray(files)) {
    const headings = files.map(({ path, total_lines, range_requested: range = {} }: Json) => {
      const { start_line: first = 1, end_line: last = Infinity } = range as { start_line?: number; end_line?: number };
      const total = Number(total_lines ?? 0);
      return `==> ${String(path)}${total > 0 ? ` (lines ${first}-${Math.min(last, total)} of ${total})` : ''} <==`;
    });
    assert.deepEqual(text.match(/^==> .* <==$/gm), headings);
    for (const { content, error } of files as Json[]) {
      const { message, details } = (error ?? {}) as { message?: string; details?: string };
      assert.ok(text.includes(error === undefined ? String(content) : `Error: ${message}\n${details}`));
    }
    return;
  }
  if (Array.isArray(entries)) {
    const lines = text.split('\n').filter((line) => !/^\(empty\)$|^\(\d+ hidden entr/.test(line));
    const names = lines.map((line) => line.replace(/\/$| \((?:\d+ bytes?|cannot be viewed)\)$/, ''));
    assert.deepEqual(names, entries);
    return;
  }
  const first = isRecord(range_requested) ? Number(range_requested['start_line'] ?? 1) : 1;
  const last = isRecord(range_requested) ? Number(range_requested['end_line'] ?? Infinity) : 0;
  const total = Number(total_lines);
  const isEmpty = content === '' && encoding === 'utf-8';
  const range = total > 0 ? `(lines ${first}-${Math.min(last, total)} of ${total})\n\n` : '';
  const bytes = encoding === 'base64' ? `(base64 of ${String(size)} ${size === 1 ? 'byte' : 'bytes'})\n` : '';
  const shown = isEmpty ? '(empty file)' : `${range}${bytes}${String(content)}`;
  // The separators of the whole file are not in a range of it: its cases say what is told of them (`told`).
  if (range !== '')
    assert.match(text.replace(shown, ''), /^$|^\n?\[(?:line breaks: |begins with|no line break)[^\n]*\]$/);
  else assert.equal(text, encoding === 'base64' ? shown : shown + unseenOf(String(content)));
}

/** What does not show of a whole text. */
function unseenOf(text: string): string {
  const [kind = '\n', another] = new Set(text.match(/\r\n?|\n/g));
  const breaks = another !== undefined ? 'mixed' : kind === '\n' ? '' : JSON.stringify(kind).slice(1, -1);
  const isEnded = /[\r\n]$/.test(text);
  const told = [
    ...(breaks === '' ? [] : [`line breaks: ${breaks}`]),
    ...(text.startsWith('\ufeff') ? ['begins with a BOM'] : []),
    ...(isEnded || /^\ufeff?$/.test(text) ? [] : ['no line break at the end']),
  ];
  return told.length === 0 ? '' : `${isEnded ? '' : '\n'}[${told.join('; ')}]`;
}

/**
 * The text of the other path tools' answers.
 * @param told the text; details that no other front reports are taken from it, since only a case can know them (`told`)
 */
function storageText(members: Json, told: string): string {
  const { path, old_path, new_path, total_replacements, replacements, diff, dry_run, notice } = members;
  const [first = '', second] = told.split('\n');
  const taken = second === tookCrlf ? `\n${tookCrlf}` : '';
  const remarks = typeof notice === 'string' ? `${taken}\n${notice}` : taken;
  if (Array.isArray(replacements)) {
    const all = new Set(replacements.flatMap((each: { lines: number[] }) => each.lines));
    const lines = [...all].sort((a, b) => a - b);
    const named = `${lines.slice(0, 20).join(', ')}${lines.length > 20 ? ', …' : ''}`;
    const places = lines.length === 0 ? '' : ` (line${lines.length === 1 ? '' : 's'} ${named})`;
    const did = dry_run === true ? 'Would have replaced' : 'Replaced';
    const occurrences = total_replacements === 1 ? 'occurrence' : 'occurrences';
    const summary = `${did} ${String(total_replacements)} ${occurrences} in ${String(path)}${places}${remarks}`;
    return withDiff(summary, diff, told);
  }
  const [place = ''] = / \(lines? \d+(-\d+)?\)$/.exec(first) ?? [];
  return typeof path === 'string' ? `OK: ${path}${place}${remarks}` : `OK: ${String(old_path)} -> ${String(new_path)}`;
}

/** A diff that is too long for a model has its first lines, and how many are missing. */
function withDiff(summary: string, given: unknown, told: string): string {
  const diff = String(given);
  const shown = told.slice(`${summary}\n\n`.length);
  if (diff === '') return summary;
  const [note = '', files = '0', lines = ''] =
    /… (?:(\d+) files? and )?(\d+) lines? of the diff (?:is|are) not shown\.\n/.exec(shown) ?? [];
  if (note === '') return `${summary}\n\n${diff}`;
  const [above = '', below = ''] = shown.split(note);
  const hidden = diff.slice(above.length, diff.length - below.length);
  assert.ok(Array.from(diff).length > 4_000 && Array.from(shown).length <= 4_000);
  assert.match(hidden, /^(?:@@ |diff --git |Binary files |--- )/);
  const begun = hidden.split('\n').filter((line) => /^(?:diff --git|Binary files) /.test(line)).length;
  assert.equal(Number(files), hidden.startsWith('--- ') ? 1 : begun);
  assert.equal(hidden.split('\n').length - 1, Number(lines));
  return `${summary}\n\n${above}${note}${below}`;
}

type Changed = Results['apply_changes']['changes'][number];

const rehearsed: Readonly<Record<Changed['kind'], string>> = {
  edited: 'would edit',
  created: 'would create',
  replaced: 'would replace',
  deleted: 'would delete',
  renamed: 'would rename',
};

/** The text for several changes: a line for each, notices below it, and the diff. */
function changesText({ changes, diff, dry_run }: Json, told: string): string {
  assert.ok(Array.isArray(changes));
  const lines = changes.flatMap(({ path, kind, new_path, total_replacements: count, notice }: Changed) => {
    const did = dry_run === true ? rehearsed[kind] : kind;
    const to = new_path === undefined ? '' : ` -> ${new_path}`;
    const replaced = count === undefined ? '' : ` (${count} ${count === 1 ? 'replacement' : 'replacements'})`;
    return [`${did} ${path}${to}${replaced}`, ...(notice === undefined ? [] : [notice])];
  });
  return withDiff(lines.length === 0 ? 'No file changes.' : lines.join('\n'), diff, told);
}

function listText({ files, total_count }: Json): string {
  assert.ok(Array.isArray(files));
  const lines = files.map((file: Json) => {
    const { name, modified, lines } = file;
    return `name: ${String(name)}, modified: ${String(modified)}, lines: ${String(lines)}\n`;
  });
  return `Files in directory:\n\n${lines.join('')}${lines.length === 0 ? '' : '\n'}Total files: ${String(total_count)}`;
}

/** A list as models see it: fewer details for each file, whole seconds, and no directory. */
function listed({ files, total_count }: Json): Record<string, unknown> {
  assert.ok(Array.isArray(files));
  const told = files.map(({ name, modified, lines, size }: Json) => ({
    name,
    modified: `${String(modified).slice(0, 19)}Z`,
    lines,
    size,
  }));
  return { files: told, total_count };
}

/** The line numbers in every message that has some. */
const lineMessages = [
  /^(Line )(\d+)( out of range for .*)$/,
  /^(Conflicting edits on line )(\d+)()$/,
  /^(Start line )(\d+)( exceeds .*)$/,
  /^(Invalid line range: start )(\d+)( > end \d+)$/,
  /^(Invalid line range: start \d+ > end )(\d+)()$/,
];

/** @param structured of the tools for paths */
function told(text: string, structured: unknown, less: number): Answer {
  const [first = '', ...rest] = text.split('\n');
  assert.match(first, /^Error: /);
  const sent = first.slice('Error: '.length);
  const message = lineMessages.reduce(
    (message, pattern) =>
      message.replace(
        pattern,
        (_, before: string, line: string, behind: string) => `${before}${Number(line) + less}${behind}`,
      ),
    less === 1 ? sent.replace(/^(Line numbers must be )non-negative/, '$1positive') : sent,
  );
  const { code, message: said = message, path } = isRecord(structured) ? structured : {};
  assert.equal(said, message);
  return failed(message, { details: rest.join('\n'), ...(code === undefined ? {} : { reason: code, path }) });
}

function failed(message: string, data: Record<string, unknown>): Answer {
  return { ok: false, error: { code: 0, message, data }, status: undefined };
}

function textsOf(content: unknown): string[] {
  assert.ok(Array.isArray(content));
  return content.map((item: Json) => {
    assert.equal(item['type'], 'text');
    return String(item['text']);
  });
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
