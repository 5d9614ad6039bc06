/** What a caller's token allows besides files (spec 16). Files are judged where they are opened (workers/disk/paths/scope.ts). */
import { failure, type Failure } from '../core/errors.js';
import { plainNames } from '../core/names/path.js';
import { filenameOf, pathsOf, subjectOf, type Operation } from '../core/operations.js';
import type { Caller } from './caller.js';

/** Whether a caller may use an operation; everyone may without `--tokens`. */
export function mayUse({ writes }: Operation, caller: Caller | undefined): boolean {
  return !writes || caller?.access !== 'read';
}

/** The refusal of an operation that the caller may not use, whatever its parameters. */
export function notAllowed(operation: Operation, params: unknown): Failure {
  const subject = subjectOf(operation, params) ?? operation.name;
  return failure('permission_denied', `Permission denied accessing '${subject}'`, {
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
