/** The operations of a server, and why it lacks others. */
import { operations, type Operation, type OperationName, type Toolset } from '../core/operations.js';

/** A choice of `--toolset`: one of the table's toolsets, or a selection from several. */
export type ToolsetName = Toolset | 'agent';

/** What a coding agent needs, without duplicates. */
const agent: ReadonlySet<OperationName> = new Set([
  'view',
  'write',
  'apply_changes',
  'grep',
  'glob',
  'delete',
  'rename',
]);

/** The toolsets of the table in its order, then the selection. */
export const toolsets: readonly ToolsetName[] = [
  ...new Set([...operations.values()].map(({ toolset }) => toolset)),
  'agent',
];

/** The options that decide which operations a server offers. */
export interface Offer {
  readonly toolsets: readonly ToolsetName[];
  readonly readOnly: boolean;
}

/** Whether an operation is one of a toolset. */
export function isIn(name: ToolsetName | 'all', row: Operation): boolean {
  if (name === 'all') return true;
  return name === 'agent' ? agent.has(row.name) : name === row.toolset;
}

/** The operations that a server offers: those of its toolsets; with --read-only, only those that do not write. */
export function availableOperations({ toolsets, readOnly }: Offer): ReadonlyMap<string, Operation> {
  return new Map(
    [...operations].filter(([, row]) => toolsets.some((name) => isIn(name, row)) && !(readOnly && row.writes)),
  );
}

/** A sentence that names the flag that hides an operation of the table; undefined for any other name. */
export function whyAbsent(name: string, { toolsets, readOnly }: Offer): string | undefined {
  const row = operations.get(name);
  if (row === undefined) return undefined;
  // Regardless of toolset: a server does not start if --read-only empties one of its toolsets.
  return readOnly && row.writes
    ? `${name} writes, and this server was started with --read-only.`
    : `Start the server with --toolset=${[...toolsets, row.toolset].join(',')} (or all) to have ${name}.`;
}
