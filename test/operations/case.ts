import { mkdirSync, symlinkSync } from 'node:fs';
import type { OperationName } from '../../src/core/operations.js';

/** Contents of a directory: text or bytes by name. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** The expected error in REST; JSON-RPC has the same without the status. */
export interface ExpectedError {
  readonly code: number;
  readonly status: number;
  /** The whole message, or a pattern. */
  readonly message: string | RegExp;
  /** A pattern for the advice, which is always a sentence. */
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
  /** Anything but a file with content, by path; made in this order. */
  readonly make?: Readonly<Record<string, (path: string) => void>>;
  /** Further preparation. */
  readonly prepare?: (directory: string) => void;
  readonly call: readonly [OperationName, unknown];
  /** The exact members of the result; `hash` may be a pattern. */
  readonly result?: Readonly<Record<string, unknown>> | ((directory: string) => Readonly<Record<string, unknown>>);
  readonly error?: ExpectedError;
  /** The verbatim text for a model. */
  readonly told?: string;
  /** The outcome if the caller is a model, which is forgiven more (spec 15). */
  readonly forgiven?: Required<Pick<Case, 'result' | 'after'>> & Pick<Case, 'told'>;
  /** Regular files afterwards, including hidden ones; by path for operations on paths. Default: unchanged. */
  readonly after?: Files;
  /** Further checks of the directory afterwards. */
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

/** The cases with these options, except those with their own. */
export const withOptions = (options: Case['options'], cases: readonly Case[]): readonly Case[] =>
  cases.map((each) => ({ ...(options && { options }), ...each }));

/** For all cases of path tools, and all cases of limits: cases with the same options share a server. */
export const pathTools = { toolset: 'storage,edits,changes' };
export const lowLimits = { toolset: 'all', maxSize: 1, maxLines: 2 };

export const invalidParams = (message: string | RegExp, details?: RegExp): ExpectedError => ({
  code: -32602,
  status: 400,
  message,
  ...(details === undefined ? {} : { details }),
});

/** Statuses of storage tool errors other than 400. */
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
