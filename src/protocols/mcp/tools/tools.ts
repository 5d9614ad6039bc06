import type { LineBase } from '../../../core/errors.js';
import { lineBaseOf, paramsCountedFrom } from '../../../core/line-numbers.js';
import type { Operation, OperationName, Schema, Toolset } from '../../../core/operations.js';
import { toldOf, type Limits } from '../../../core/globs/scope.js';
import { publishedParams } from '../../../core/names/filename.js';
import { applyChangesTool } from './apply-changes.js';
import { applyEditsTool } from './apply-edits.js';
import { editTool } from './edit.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { historyTool } from './history.js';
import { listTool } from './list.js';
import { readTool } from './read.js';
import { createTool, insertTool, deleteTool, renameTool, strReplaceTool, writeTool } from './storage.js';
import type { ObjectSchema, Presentation, Tool } from './tool.js';
import { undoTool } from './undo.js';
import { viewTool } from './view.js';

/** One tool per row of the operation table; a missing one does not compile. */
export const tools: { readonly [Name in OperationName]: Tool<Name> } = {
  list_files: listTool,
  read_file: readTool,
  edit_file: editTool,
  view: viewTool,
  create: createTool,
  str_replace: strReplaceTool,
  insert: insertTool,
  delete: deleteTool,
  rename: renameTool,
  write: writeTool,
  apply_edits: applyEditsTool,
  apply_changes: applyChangesTool,
  grep: grepTool,
  glob: globTool,
  history: historyTool,
  undo: undoTool,
};

const paths = 'Paths are relative, such as notes/today.md.';

/**
 * Conventions shared by the tools of a toolset.
 * @param first number of the first line for the flat tools; 1 for all others
 * @param rows offered by the server
 */
const conventions: Readonly<Record<Toolset, (first: LineBase, rows: readonly Operation[]) => readonly string[]>> = {
  files: (first, rows) => {
    const numbered = rows
      .filter(({ toolset, lineNumbers }) => toolset === 'files' && lineNumbers !== undefined)
      .map(({ name }) => name);
    const others = rows.some(({ toolset }) => toolset !== 'files');
    return [
      'Names are plain file names without folders.',
      first === 0 && others
        ? `Lines count from 0 in ${numbered.join(' and ')}, and from 1 in the other tools.`
        : `Lines count from ${first}.`,
    ];
  },
  storage: () => [paths, 'The path "" is the directory itself.'],
  edits: () => [paths],
  search: () => [paths],
  changes: (_first, rows) => [
    paths,
    ...(rows.some(({ name }) => name === 'apply_changes')
      ? ['Put changes that belong together into one apply_changes: all of them are made, or none.']
      : []),
  ],
  history: () => [],
};

/** The tool of an operation. */
export function toolOf({ name }: Operation): Tool {
  return tools[name];
}

/** Input schema for models. Some clients reject all but the simplest keywords. */
export function inputSchema(
  operation: Operation,
  { lineBase, names }: Pick<Presentation, 'lineBase' | 'names'>,
): ObjectSchema {
  const { defaults = {}, selfExplanatory: plain = [] } = toolOf(operation);
  const counted = paramsCountedFrom(operation, lineBaseOf(operation, lineBase));
  const { properties = {}, ...schema } = publishedParams(counted, operation, names);
  const members = Object.entries(properties).map(([name, property]): [string, Schema] => {
    const value = defaults[name];
    if (value !== undefined) return [name, { ...property, default: value }];
    const { description, ...rest } = brief(property);
    return [name, description === undefined || plain.includes(name) ? rest : { ...rest, description }];
  });
  return { ...schema, type: 'object', properties: Object.fromEntries(members) };
}

/** Members of a list that need no description for a model. */
const selfExplanatory = new Set(['path', 'new_string', 'replace_all', 'case_insensitive', 'encoding', 'delete']);

/**
 * Without facts that a model takes for granted, since every agent would pay for them: an omitted option is off or has
 * its first value, and a text or list that must not be empty is not sent empty.
 */
function brief(schema: Schema): Schema {
  const { default: value, items, properties, minItems, minLength, ...others } = schema;
  const isPlain = value === false || value === '' || (value !== undefined && value === others.enum?.[0]);
  const members = Object.entries(properties ?? {}).map(([name, each]): [string, Schema] => {
    const { description, ...rest } = brief(each);
    return [name, description === undefined || selfExplanatory.has(name) ? rest : { ...rest, description }];
  });
  return {
    ...others,
    ...(minItems === undefined || minItems === 1 ? {} : { minItems }),
    ...(minLength === undefined || (minLength === 1 && others.pattern === undefined) ? {} : { minLength }),
    ...(value === undefined || isPlain ? {} : { default: value }),
    ...(items === undefined ? {} : { items: brief(items) }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
  };
}

/** Longest list of patterns in `instructions`, in characters: clients show a model 2,048 in all (spec 17). */
const mostListed = 200;

/**
 * The server's `instructions`, for a model that does not know the tools yet. Some clients show only the beginning, so
 * that says what the tools are for, and to prefer them to others.
 * @param isForReader whether the server has tools that write, but the token of this client does not allow them
 */
export function instructions(operations: Iterable<Operation>, lineBase: LineBase, isForReader = false): string {
  const rows = [...operations];
  const toolsets = [...new Set(rows.map(({ toolset }) => toolset))];
  return [
    opening(rows),
    `${rows.map((row) => `${row.name} ${toolOf(row).purpose}`).join(', ')}.`,
    ...new Set(toolsets.flatMap((toolset) => conventions[toolset](lineBase, rows))),
    safety(rows, isForReader),
    'When a call fails, its second line says what to do next.',
  ].join(' ');
}

function opening(rows: readonly Operation[]): string {
  const changes = rows.some(({ writes }) => writes);
  const uses = [
    ...(rows.some(({ writes, toolset }) => !writes && toolset !== 'search') ? ['read'] : []),
    ...(rows.some(({ toolset }) => toolset === 'search') ? ['search'] : []),
    ...(changes ? ['change'] : []),
  ];
  const why = changes ? ': every change is saved whole or not at all, and waits for those of other agents' : '';
  return `Tools to ${listed(uses)} the text files of one directory. Use them in place of your own file tools and of shell commands for these files${why}.`;
}

function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

function safety(rows: readonly Operation[], isForReader: boolean): string {
  if (!rows.some(({ writes }) => writes))
    return isForReader ? 'Your token allows only reading.' : 'This server is read-only.';
  const source = rows.some(({ writes }) => !writes) ? 'you read it, read it' : 'your last edit, make that';
  return `To make sure that a file has not changed since ${source} with return_hash and send that hash as expected_hash.`;
}

/** The instructions for a caller who may not use everything. */
export function narrowed(about: string, limits: Limits): string {
  return `${about} ${toldOf(limits, mostListed)}`;
}

/**
 * Largest result that a tool can ask Claude Code to show a model, in characters. By default, a result of more than
 * 50,000 is replaced by the name of a file (https://code.claude.com/docs/en/mcp). The page is what limits results.
 */
const longestShown = 500_000;

/**
 * Hints on a tool for particular clients, beyond the protocol.
 * @param isAlwaysUsed whether models should get it without a search
 */
export function hintsFor({ writes }: Operation, isAlwaysUsed: boolean): Readonly<Record<string, unknown>> | undefined {
  const hints = {
    ...(writes ? {} : { 'anthropic/maxResultSizeChars': longestShown }),
    ...(isAlwaysUsed ? { 'anthropic/alwaysLoad': true } : {}),
  };
  return Object.keys(hints).length === 0 ? undefined : hints;
}
