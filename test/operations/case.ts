import { mkdirSync, symlinkSync } from 'node:fs';
import type { OperationName } from '../../src/core/operations.js';

/** What a directory holds: text or bytes by name. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** What went wrong, as REST sees it; JSON-RPC has the same without the status. */
export interface ExpectedError {
  readonly code: number;
  readonly status: number;
  /** The whole message, or what it matches. */
  readonly message: string | RegExp;
  /** What the advice matches; a sentence in any case. */
  readonly details?: RegExp;
  /** Further members of `data`. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** One call, and the directory before and after it. Every front runs cases from this one list. */
export interface Case {
  readonly title: string;
  /** Flags of the server, as library options. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly before?: Files;
  /** What is not a file with content, by path: made in this order. */
  readonly make?: Readonly<Record<string, (path: string) => void>>;
  /** What else must be done before. */
  readonly prepare?: (directory: string) => void;
  readonly call: readonly [OperationName, unknown];
  /** Members of the result; `hash` may be a pattern. Exactly these. */
  readonly result?: Readonly<Record<string, unknown>> | ((directory: string) => Readonly<Record<string, unknown>>);
  readonly error?: ExpectedError;
  /** What a model is told of it, to the character. */
  readonly told?: string;
  /** What happens where the caller is a model, and forgiven (spec 15). */
  readonly forgiven?: Required<Pick<Case, 'result' | 'after'>> & Pick<Case, 'told'>;
  /** Regular files afterwards, hidden ones included; by path for operations that know paths. Default: as before. */
  readonly after?: Files;
  /** What else must be true of the directory afterwards. */
  readonly check?: (directory: string) => void;
}

export const linkTo =
  (target: string) =>
  (path: string): void => {
    symlinkSync(target, path);
  };

export function aDirectory(path: string): void {
  mkdirSync(path, { recursive: true });
}

/** The cases with these options, but for those that have their own. */
export const withOptions = (options: Case['options'], cases: readonly Case[]): readonly Case[] =>
  cases.map((each) => ({ ...(options && { options }), ...each }));

/** For all cases of tools for paths, and all cases of limits: cases with the same options share a server. */
export const pathTools = { toolset: 'storage,edits' };
export const lowLimits = { toolset: 'all', maxSize: 1, maxLines: 2 };

/** The message of parameters that do not fit in one way; the details say in which. */
export const oneProblem = 'Invalid params: 1 problem';

export const invalidParams = (message: string | RegExp, details?: RegExp): ExpectedError => ({
  code: -32602,
  status: 400,
  message,
  ...(details === undefined ? {} : { details }),
});

/** Statuses of the errors of the storage tools that are not 400. */
const statuses: Readonly<Record<string, number>> = {
  file_not_found: 404,
  file_exists: 409,
  directory_not_empty: 409,
  conflict: 409,
  permission_denied: 403,
  file_too_large: 413,
};

/** An error of the storage tools (spec 11). */
export function pathError(
  reason: string,
  path: string,
  message: string | RegExp,
  more: Partial<Pick<ExpectedError, 'details' | 'status' | 'data'>> = {},
): ExpectedError {
  const isCallers = reason === 'path_security' || reason === 'invalid_params';
  return {
    code: isCallers ? -32602 : -32001,
    status: statuses[reason] ?? 400,
    message,
    ...more,
    data: { reason, path, ...more.data },
  };
}
