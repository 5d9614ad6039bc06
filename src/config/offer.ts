/** The operations of a server, and why it lacks others. */
import { operations, type Operation, type Toolset } from '../core/operations.js';

/** The options that decide which operations a server offers. */
export interface Offer {
  readonly toolsets: readonly Toolset[];
  readonly readOnly: boolean;
}

/** The operations that a server offers: those of its toolsets and, with --read-only, none that writes. */
export function availableOperations(config: Offer): ReadonlyMap<string, Operation> {
  return new Map(
    [...operations].filter(([, row]) => config.toolsets.includes(row.toolset) && !(config.readOnly && row.writes)),
  );
}

/** A sentence that names the flag that hides an operation of the table; undefined for any other name. */
export function whyAbsent(name: string, { toolsets, readOnly }: Offer): string | undefined {
  const row = operations.get(name);
  if (row === undefined) return undefined;
  // Whatever its toolset: a server with a toolset that --read-only empties does not start.
  return readOnly && row.writes
    ? `${name} writes, and this server was started with --read-only.`
    : `Start the server with --toolset=${[...toolsets, row.toolset].join(',')} (or all) to have ${name}.`;
}
