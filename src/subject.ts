/** What a call is about, by its row of the table and its parameters. */
import type { Operation } from './operations.js';

/** The file that a call is about, as the caller named it; undefined for operations without a flat name. */
export function filenameOf(operation: Operation, params: unknown): string | undefined {
  return operation.filename === undefined ? undefined : textAt(params, operation.filename);
}

/** The paths that a call is about, as the caller wrote them. */
export function pathsOf({ paths = [] }: Operation, params: unknown): string[] {
  return paths.map((name) => textAt(params, name)).filter((path) => path !== undefined);
}

/** What a call is about, for the log and for messages: its file, or the first of its paths. */
export function subjectOf(operation: Operation, params: unknown): string | undefined {
  return filenameOf(operation, params) ?? pathsOf(operation, params)[0];
}

/** A parameter that is a text. */
export function textAt(params: unknown, name: string): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  const text: unknown = Reflect.get(params, name);
  return typeof text === 'string' ? text : undefined;
}
