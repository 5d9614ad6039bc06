import type { Failure } from './errors.js';
import { rows, type Results } from './operations.js';
import { maxPathBytes } from './names/path.js';
import { asToldBy } from './path-failure.js';

/** One of several viewed files: its result, or why it has none (spec 17). */
export type ViewedFile = NonNullable<Results['view']['files']>[number];

/** @param path as the caller wrote it, which may be no path at all */
export function failedAlone(path: string, failed: Failure): ViewedFile {
  const { message, details, data } = asToldBy(rows.view, { path }, failed);
  return { path: path.slice(0, maxPathBytes), error: { reason: data?.reason ?? 'io_error', message, details } };
}

/** For a file that could be viewed, if not in this answer. */
export function noRoomFor(path: string, details = 'View it in another call, with those after it.'): ViewedFile {
  const message = 'There is no room for it in this answer';
  return { path: path.slice(0, maxPathBytes), error: { reason: 'file_too_large', message, details } };
}
