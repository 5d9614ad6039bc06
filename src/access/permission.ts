/**
 * Callers, and the permissions that the server and their tokens give (spec 16 and 17). Files are judged where they are
 * opened (workers/disk/paths/scope.ts).
 */
import { failure, type Failure } from '../core/errors.js';
import { Scope, type Limits } from '../core/globs/scope.js';
import { plainNames } from '../core/names/path.js';
import { filenameOf, pathsOf, subjectOf, type Operation } from '../core/operations.js';

/** The caller of a request (spec 16). */
export interface Caller {
  /** Name of its token, for the log and the metrics; absent without `--tokens`. */
  readonly name?: string;
  readonly access: 'read' | 'write';
  /** The files that it may read; absent: all files. */
  readonly readable?: AllowedFiles;
  /** The files that it may change; absent: all files. */
  readonly writable?: AllowedFiles;
}

/** A set of files in the directory, in the three forms in which it is needed. */
interface AllowedFiles {
  /** For the threads. */
  readonly limits: Limits;
  /** The same as one text, for caches. */
  readonly key: string;
  readonly scope: Scope;
}

/** Any caller of a server without tokens. @param paths what the server allows; undefined: everything */
export function anyCaller(paths: Limits['server'] | undefined): Caller | undefined {
  return paths === undefined ? undefined : { access: 'write', ...allowedBy({ server: paths }) };
}

/** The files that limits allow to read, and to change. @throws GlobFault */
export function allowedBy({ changes, ...reading }: Limits): Pick<Caller, 'readable' | 'writable'> {
  const readable = Object.keys(reading).length === 0 ? undefined : filesOf(reading);
  const writable = changes === undefined ? readable : filesOf({ ...reading, changes });
  return { ...(readable === undefined ? {} : { readable }), ...(writable === undefined ? {} : { writable }) };
}

function filesOf(limits: Limits): AllowedFiles {
  return { limits, key: JSON.stringify(limits), scope: Scope.of(limits) };
}

/** The files that a caller may use in a call of this operation. */
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
 * Whether a caller may use all paths that its call names. A thread judges the call in any case, with links resolved.
 * But no optimization may look at a path that is not allowed, since its timing would reveal what exists.
 */
export function mayName(operation: Operation, params: unknown, caller: Caller | undefined): boolean {
  const scope = filesFor(operation, caller)?.scope;
  if (scope === undefined) return true;
  const filename = filenameOf(operation, params);
  const paths = filename === undefined ? pathsOf(operation, params).map(plainNames) : [[filename]];
  return paths.every((names) => scope.holds(names) || scope.reaches(names));
}
