/** The operations of a server, and why it lacks others. */
import type { HistoryLimits } from '../core/thread/task.js';
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
  'history',
  'undo',
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
  /** Undefined: nothing is recorded, so there is nothing to list or to undo. */
  readonly history?: HistoryLimits | undefined;
}

/** Whether an operation is one of a toolset. */
export function isIn(name: ToolsetName | 'all', row: Operation): boolean {
  if (name === 'all') return true;
  return name === 'agent' ? agent.has(row.name) : name === row.toolset;
}

/** The operations that a server offers: those of its toolsets; with --read-only, only those that do not write. */
export function availableOperations({ toolsets, readOnly, history }: Offer): ReadonlyMap<string, Operation> {
  const isOffered = (row: Operation): boolean =>
    toolsets.some((name) => isIn(name, row)) &&
    !(readOnly && row.writes) &&
    (history !== undefined || row.toolset !== 'history');
  return new Map([...operations].filter(([, row]) => isOffered(row)));
}

/** A sentence that names the flag that hides an operation of the table; undefined for any other name. */
export function whyAbsent(name: string, { toolsets, readOnly, history }: Offer): string | undefined {
  const row = operations.get(name);
  if (row === undefined) return undefined;
  // Regardless of toolset: a server does not start if --read-only empties one of its toolsets.
  if (readOnly && row.writes) return `${name} writes, and this server was started with --read-only.`;
  return row.toolset === 'history' && history === undefined
    ? `Start the server with --history to have ${name}.`
    : `Start the server with --toolset=${[...toolsets, row.toolset].join(',')} (or all) to have ${name}.`;
}
