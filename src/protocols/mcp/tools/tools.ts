import type { LineBase } from '../../../core/errors.js';
import { lineBaseOf, paramsCountedFrom } from '../../../core/line-numbers.js';
import type { Operation, OperationName, Schema, Toolset } from '../../../core/operations.js';
import { publishedParams } from '../../../core/names/filename.js';
import { applyChangesTool } from './apply-changes.js';
import { applyEditsTool } from './apply-edits.js';
import { editTool } from './edit.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { listTool } from './list.js';
import { readTool } from './read.js';
import { createTool, insertTool, deleteTool, renameTool, strReplaceTool, writeTool } from './storage.js';
import type { ObjectSchema, Presentation, Tool } from './tool.js';
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
  const { defaults = {} } = toolOf(operation);
  const counted = paramsCountedFrom(operation, lineBaseOf(operation, lineBase));
  const { properties = {}, ...schema } = publishedParams(counted, operation, names);
  const members = Object.entries(properties).map(([name, property]): [string, Schema] => {
    const value = defaults[name];
    return [name, value === undefined ? withoutPlainDefaults(property) : { ...property, default: value }];
  });
  return { ...schema, type: 'object', properties: Object.fromEntries(members) };
}

/** An option that is left out is off: every agent would pay for being told so of each. */
function withoutPlainDefaults(schema: Schema): Schema {
  const { default: value, items, properties, ...others } = schema;
  const members = Object.entries(properties ?? {}).map(([name, each]) => [name, withoutPlainDefaults(each)] as const);
  return {
    ...others,
    ...(value === undefined || value === false ? {} : { default: value }),
    ...(items === undefined ? {} : { items: withoutPlainDefaults(items) }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
  };
}

/**
 * The server's `instructions`, for a model that does not know the tools yet.
 * @param isForReader whether the server has tools that write, and the token of this client does not allow them
 */
export function instructions(operations: Iterable<Operation>, lineBase: LineBase, isForReader = false): string {
  const rows = [...operations];
  const toolsets = [...new Set(rows.map(({ toolset }) => toolset))];
  const source = rows.some(({ writes }) => !writes) ? 'you read it, read it' : 'your last edit, make that';
  const safety = rows.some(({ writes }) => writes)
    ? `Every change is saved whole or not at all. To make sure that a file has not changed since ${source} with return_hash and send that hash as expected_hash.`
    : isForReader
      ? 'Your token allows only reading.'
      : 'This server is read-only.';
  return [
    `Works on the text files of one directory: ${rows.map((row) => `${row.name} ${toolOf(row).purpose}`).join(', ')}.`,
    ...new Set(toolsets.flatMap((toolset) => conventions[toolset](lineBase, rows))),
    safety,
    'When a call fails, its second line says what to do next.',
  ].join(' ');
}
