/**
 * Edits by text without a server (spec 11): the same engine, locks and way of writing, in the thread of the caller.
 */
import { placeOf } from './edited-place.js';
import { failure, type Failure, type Outcome, type Reason, type Success } from '../core/errors.js';
import { runHere } from './in-process.js';
import { valueOf } from '../call/result-json.js';
import { missingFile } from './missing-file.js';
import { rows, type Params, type TextEdit } from '../core/operations.js';
import { asToldBy } from '../call/path-failure.js';
import type { Results } from '../core/schemas.js';
import { validate } from '../call/validation/index.js';
import { checkAnyPath } from '../core/names/path.js';

export type { TextEdit };

/**
 * What one edit did: its number, counted from 1, and the lines of its replacements, the first 1,000 at most, in the text as
 * the edit found it.
 */
export type Replaced = Results['apply_edits']['replacements'][number];

export interface ApplyEditsOptions {
  /** For edits that do not set it themselves; false if absent. */
  readonly replace_all?: boolean;
  /** Report what would be done, but write nothing. */
  readonly dry_run?: boolean;
  /** Hash that the file must have now; otherwise nothing is written and the error is a `conflict`. */
  readonly expected_hash?: string;
  /**
   * The directory whose `.file-editor` holds the locks: that of a server that works on the same file. If absent: the
   * nearest directory above the file that has one, or else the one that holds the file.
   */
  readonly root?: string;
}

/** What was done, or would be with `dry_run`. */
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
  /** There only if an edit mixed the line endings of the file: says where, and what to send. */
  readonly notice?: string;
}

/** Why nothing was written, except where `data.applied` says otherwise. */
export class ApplyEditsError extends Error {
  readonly code: Reason;
  /** What to do next. */
  readonly details: string;
  readonly data: Failure['data'];

  constructor(
    { message, details, data = {} }: Failure,
    /** As it was given. */
    readonly path: string,
  ) {
    super(message);
    this.name = 'ApplyEditsError';
    this.code = data.reason ?? 'io_error';
    this.details = details;
    this.data = { ...data, path };
  }
}

/**
 * Replace texts in a file, all edits or none, and return once the result is on disk. Other writers of the same file, in
 * this process, another one or a server, wait or are waited for. Nothing keeps the process alive afterwards.
 * @param filePath absolute, or relative to the current directory; symbolic links are followed
 * @param edits 1 to 1000; each is matched against the text that those before it have left
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
  throw new ApplyEditsError(asToldBy(rows.apply_edits, { path: filePath }, outcome), filePath);
}

const optionNames = ['replace_all', 'dry_run', 'expected_hash', 'root'];

/** What only the library has to check; the rest is checked as the parameters of the operation. */
function refusedOption(options: object): Failure | undefined {
  const refuse = (problem: string): Failure =>
    failure('invalid_params', `Invalid params: ${problem}`, {
      details: `The options are an object of ${optionNames.join(', ')}, all of them optional.`,
    });
  // Callers without types may send anything.
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
  // Nothing is created outside the reserved directory, so the mask of the process does not matter.
  return runHere(rows.apply_edits, { ...given, path: place.path }, { directory: place.root, umask: 0o077 }).answer;
}

/** The result as the row of the operation describes it. */
function reportIn({ result }: Success): Omit<ApplyEditsReport, 'path'> {
  return { ...result, replacements: valueOf(result['replacements']) } as Omit<ApplyEditsReport, 'path'>;
}
