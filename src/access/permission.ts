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
  /** The files that it may use; absent: all of them. */
  readonly files?: AllowedFiles;
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
  return paths === undefined ? undefined : { access: 'write', files: allowedBy({ server: paths }) };
}

/** @throws GlobFault */
export function allowedBy(limits: Limits): AllowedFiles {
  return { limits, key: JSON.stringify(limits), scope: Scope.of(limits) };
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
  const scope = caller?.files?.scope;
  if (scope === undefined) return true;
  const filename = filenameOf(operation, params);
  const paths = filename === undefined ? pathsOf(operation, params).map(plainNames) : [[filename]];
  return paths.every((names) => scope.holds(names) || scope.reaches(names));
}
