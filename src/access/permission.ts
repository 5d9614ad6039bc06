/** Callers, and what the server and their tokens allow (spec 16 and 17). Files are judged where they are opened (workers/disk/paths/scope.ts). */
import { failure, type Failure } from '../core/errors.js';
import { Scope, type Limits } from '../core/globs/scope.js';
import { plainNames } from '../core/names/path.js';
import { filenameOf, pathsOf, subjectOf, type Operation } from '../core/operations.js';

/** Whose request it is (spec 16). */
export interface Caller {
  /** Of its token, for the log and the metrics; absent without `--tokens`. */
  readonly name?: string;
  readonly access: 'read' | 'write';
  /** Absent: all files. */
  readonly readable?: AllowedFiles;
  /** The same for what it may change. */
  readonly writable?: AllowedFiles;
}

/** Some files of the directory, in the three forms in which they are needed. */
interface AllowedFiles {
  /** For the threads. */
  readonly limits: Limits;
  /** The same as one text, for caches. */
  readonly key: string;
  readonly scope: Scope;
}

/** Whoever calls a server without tokens. @param paths what it allows; undefined: everything, to everyone alike */
export function anyCaller(paths: Limits['server'] | undefined): Caller | undefined {
  return paths === undefined ? undefined : { access: 'write', ...allowedBy({ server: paths }) };
}

/** What limits allow to read, and to change. @throws GlobFault */
export function allowedBy({ changes, ...reading }: Limits): Pick<Caller, 'readable' | 'writable'> {
  const readable = Object.keys(reading).length === 0 ? undefined : filesOf(reading);
  const writable = changes === undefined ? readable : filesOf({ ...reading, changes });
  return { ...(readable === undefined ? {} : { readable }), ...(writable === undefined ? {} : { writable }) };
}

function filesOf(limits: Limits): AllowedFiles {
  return { limits, key: JSON.stringify(limits), scope: Scope.of(limits) };
}

/** What a caller may use in a call of this operation. */
export function filesFor({ writes }: Operation, caller: Caller | undefined): AllowedFiles | undefined {
  return writes ? caller?.writable : caller?.readable;
}

/** Whether a caller may use an operation; everyone may without `--tokens`. */
export function mayUse({ writes }: Operation, caller: Caller | undefined): boolean {
  return !writes || caller?.access !== 'read';
}

/** The refusal of an operation that the caller may not use, whatever its parameters. */
export function notAllowed(operation: Operation, params: unknown): Failure {
  const subject = subjectOf(operation, params) ?? operation.name;
  return failure('not_allowed', `Permission denied accessing '${subject}'`, {
    details: `Nothing was done: ${operation.name} is for tokens with "access": "write", and this one has "read". Ask for such a token, or use an operation that only reads.`,
  });
}

/**
 * Whether a caller may use all that its call names. A thread judges the call in any case, with links resolved; nothing
 * that only makes calls quicker may look at a path that is not allowed, since the time would tell what is there.
 */
export function mayName(operation: Operation, params: unknown, caller: Caller | undefined): boolean {
  const scope = filesFor(operation, caller)?.scope;
  if (scope === undefined) return true;
  const filename = filenameOf(operation, params);
  const paths = filename === undefined ? pathsOf(operation, params).map(plainNames) : [[filename]];
  return paths.every((names) => scope.holds(names) || scope.reaches(names));
}
