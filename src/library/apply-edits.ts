/** Edits by text without a server (spec 11): same engine, locks and write path, on the caller's thread. */
import { placeOf } from './edited-place.js';
import { failure, type Failure, type Outcome, type Success } from '../core/errors.js';
import { runHere } from './in-process.js';
import { valueOf } from '../call/result-json.js';
import { Refused } from './refused.js';
import { missingFile } from './missing-file.js';
import { rows, type Params, type TextEdit } from '../core/operations.js';
import { withWayToMake } from '../call/how-to-make.js';
import { asToldBy } from '../core/path-failure.js';
import type { Results } from '../core/schemas.js';
import { validate } from '../call/validation/index.js';
import { checkAnyPath } from '../core/names/path.js';

export type { TextEdit };

/**
 * Result of one edit: its number, from 1, and the lines of its replacements, at most the first 1,000, numbered as the
 * edit found them.
 */
export type Replaced = Results['apply_edits']['replacements'][number];

export interface ApplyEditsOptions {
  /** Default for edits that do not set it; false if absent. */
  readonly replace_all?: boolean;
  /** Report what would be done without writing. */
  readonly dry_run?: boolean;
  /** Required current hash of the file; otherwise nothing is written and the error is a `conflict`. */
  readonly expected_hash?: string;
  /**
   * The directory whose `.file-editor` holds the locks: that of a server working on the same file. Default: the nearest
   * directory above the file that has one, or else the file's own directory.
   */
  readonly root?: string;
}

/** What was done, or would be done with `dry_run`. */
export interface ApplyEditsReport {
  readonly success: true;
  /** As it was given. */
  readonly path: string;
  readonly edits_applied: number;
  readonly total_replacements: number;
  readonly replacements: readonly Replaced[];
  /** A unified diff that git can apply; empty if nothing changes. */
  readonly diff: string;
  readonly dry_run: boolean;
  /** Present only if an edit mixed the file's line endings: says where, and what to send. */
  readonly notice?: string;
}

/** Rejection of `applyEdits`. */
export class ApplyEditsError extends Refused {
  override readonly name = 'ApplyEditsError';
  /** As it was given. */
  declare readonly path: string;

  constructor(refused: Failure, path: string) {
    super({ ...refused, data: { ...refused.data, path } });
  }
}

/**
 * Replace texts in a file, all edits or none, and return once the result is on disk. Concurrent writers of the same
 * file, in this process, another one or a server, take turns. Does not keep the process alive afterwards.
 * @param filePath absolute, or relative to the current directory; symbolic links are followed
 * @param edits 1 to 1000; each is matched against the result of the previous ones
 * @throws ApplyEditsError
 */
export async function applyEdits(
  filePath: string,
  edits: readonly TextEdit[],
  options?: ApplyEditsOptions | null,
): Promise<ApplyEditsReport> {
  const { root, ...others } = options ?? {};
  const outcome = refusedOption(options ?? {}) ?? (await run({ ...others, path: filePath, edits }, root));
  if (outcome.ok) return { ...reportIn(outcome), path: filePath };
  const told = asToldBy(rows.apply_edits, { path: filePath }, outcome);
  throw new ApplyEditsError(
    withWayToMake(rows.apply_edits, {}, told, () => 'call applyChanges with its content.'),
    filePath,
  );
}

const optionNames = ['replace_all', 'dry_run', 'expected_hash', 'root'];

/** Checks specific to the library; the rest is validated as parameters of the operation. */
function refusedOption(options: object): Failure | undefined {
  const refuse = (problem: string): Failure =>
    failure('invalid_params', `Invalid params: ${problem}`, {
      details: `The options are an object of ${optionNames.join(', ')}, all of them optional.`,
    });
  // Callers without types may pass anything.
  if (typeof options !== 'object') return refuse('the options are no object');
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) return refuse(`there is no option ${JSON.stringify(unknown)}`);
  const root: unknown = Reflect.get(options, 'root');
  const isPath = root === undefined || (typeof root === 'string' && root !== '' && !root.includes('\0'));
  return isPath ? undefined : refuse('root is no path');
}

async function run(given: Params['apply_edits'], root: string | undefined): Promise<Outcome> {
  const refused = validate(rows.apply_edits, given) ?? checkAnyPath('path', given.path);
  if (refused !== null) return refused;
  const place = placeOf(given.path, root);
  if (place === 'missing') return missingFile(given, root);
  if ('kind' in place) return place;
  // Nothing is created outside the reserved directory, so the process's umask does not matter.
  return runHere(rows.apply_edits, { ...given, path: place.path }, { directory: place.root, umask: 0o077 }).answer;
}

/** The result as the operation table describes it. */
function reportIn({ result }: Success): Omit<ApplyEditsReport, 'path'> {
  return { ...result, replacements: valueOf(result['replacements']) } as Omit<ApplyEditsReport, 'path'>;
}
