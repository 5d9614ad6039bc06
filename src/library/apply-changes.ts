/** Changes of several files without a server (spec 14): same engine, locks and write path, on the caller's thread. */
import { directoryAt } from './edited-place.js';
import { failure, type Failure, type Outcome, type Success } from '../core/errors.js';
import { runHere } from './in-process.js';
import { Refused } from './refused.js';
import { valueOf } from '../call/result-json.js';
import { rows } from '../core/operations.js';
import { withWayToMake } from '../call/how-to-make.js';
import { asToldBy } from '../core/path-failure.js';
import type { Arguments, Results } from '../core/schemas.js';
import { readUmask } from '../pool/threads.js';
import { validate } from '../call/validation/index.js';

type Given = Arguments['apply_changes'];

/**
 * The change of one path, or of all files that match a glob: exactly one of `edits`, `content`, `delete: true` and
 * `rename_to`, or `rename_to` beside one of the first two.
 */
export type FileChange = Given['changes'][number];

export interface ApplyChangesOptions {
  /** Report what would be done without writing. */
  readonly dry_run?: boolean;
  /** Add the hash of each text to the report. */
  readonly return_hash?: boolean;
}

/** What was done, or would be done with `dry_run`. */
export type ApplyChangesReport = Results['apply_changes'];

/** Rejection of `applyChanges`. Its `data.change` is the number of the change that failed, from 1. */
export class ApplyChangesError extends Refused {
  override readonly name = 'ApplyChangesError';
}

/**
 * Edit, write, delete and rename several files, all or nothing, and return once the result is on disk. Concurrent
 * writers of the same files, in this process, another one or a server of `root`, take turns. Does not keep the process
 * alive afterwards.
 * @param root the directory that all paths are below, whose `.file-editor` holds the locks
 * @param changes 1 to 100; each is judged against the files as they were before the call
 * @throws ApplyChangesError
 */
export async function applyChanges(
  root: string,
  changes: readonly FileChange[],
  options?: ApplyChangesOptions | null,
): Promise<ApplyChangesReport> {
  const params = { ...(options ?? {}), changes };
  const outcome = refusedOptions(options) ?? validate(rows.apply_changes, params) ?? (await run(root, params));
  if (outcome.ok) return reportIn(outcome);
  const told = asToldBy(rows.apply_changes, params, outcome);
  throw new ApplyChangesError(withWayToMake(rows.apply_changes, params, told, () => undefined));
}

/** Callers without types may pass anything. */
function refusedOptions(options: unknown): Failure | undefined {
  if (options === undefined || typeof options === 'object') return undefined;
  return failure('invalid_params', 'Invalid params: the options are no object', {
    details: 'The options are an object of dry_run and return_hash, both of them optional.',
  });
}

async function run(root: unknown, params: Given): Promise<Outcome> {
  const directory = typeof root === 'string' && !root.includes('\0') ? directoryAt(root) : undefined;
  if (typeof directory === 'string') {
    return runHere(rows.apply_changes, params, { directory, umask: readUmask() }).answer;
  }
  return failure('invalid_params', 'Invalid params: root names no directory', {
    details: '`root` is the directory that all paths are below. Send the path of one that exists.',
  });
}

/** The result as the operation table describes it; its members may be JSON bytes. */
function reportIn({ result }: Success): ApplyChangesReport {
  const members = Object.entries(result).map(([name, member]) => [name, valueOf(member)] as const);
  return Object.fromEntries(members) as ApplyChangesReport;
}
