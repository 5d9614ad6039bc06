/** Refusals of paths by the storage and edits tools (spec 11). */
import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../../src/core/errors.js';
import { escapes, reserved } from '../../../src/core/failures.js';
import { errnoOf } from '../system-error.js';
import { modifiedConcurrently } from '../write/write-failed.js';

export const lookAround = 'Check the path: look into the directory above it to see what is there.';

/** @param path as the caller wrote it, here and below */
export function pathNotFound(path: string, details = lookAround): OperationError {
  return new OperationError('not_found', `File not found: ${path}`, { details, data: { path } });
}

/** For a path that leads out of the working directory. @param details why, and what to do */
export function pathEscapes(path: string, details: string): OperationError {
  return new OperationError('path_security', escapes, { details, data: { path } });
}

/** For the path of the working directory itself. @param done what cannot be done to it */
export function rootRefused(path: string, done: 'deleted' | 'moved' | 'replaced'): OperationError {
  return new OperationError('path_security', `The working directory itself cannot be ${done}`, {
    details: 'Send the path of something in it.',
    data: { path },
  });
}

/** For a path that leads into the reserved directory. @param why it does, unless its names show that */
export function pathReserved(path: string, why = ''): OperationError {
  return new OperationError('path_security', reserved, { details: `${why}Use another path.`, data: { path } });
}

/** For a path that this process has no right to use. */
export function pathDenied(path: string, errno: string | undefined): OperationError {
  return new OperationError('permission_denied', `Permission denied: ${path}`, {
    data: { path, ...(errno === undefined ? {} : { errno }) },
  });
}

/**
 * For a path where something new was to be created.
 * @param what is there, if known; `itself`: the thing to be moved there
 * @param member the parameter that names the path of a move
 */
export function pathExists(path: string, what?: Existing, member = 'new_path'): OperationError {
  const details = what === undefined ? undefined : `Nothing was changed. ${besides(what, member)}`;
  return new OperationError('file_exists', `File already exists: ${path}`, {
    data: { path },
    ...(details === undefined ? {} : { details }),
  });
}

type Existing = 'root' | 'itself' | BigIntStats;

function besides(what: Existing, member: string): string {
  if (what === 'itself') {
    const old = member === 'new_path' ? 'old_path' : 'path';
    return `${old} and ${member} are the same: send another ${member}.`;
  }
  if (what === 'root') return 'This is the working directory itself: name something in it.';
  if (what.isDirectory()) return 'A directory is there: choose another path, or one inside of it.';
  if (what.isSymbolicLink()) return 'A symbolic link is there: choose another path.';
  if (!what.isFile()) return 'What is there is neither file nor directory: choose another path.';
  return 'A file is there: edit it, or choose another path.';
}

/** For a path that continues after something that is not a directory. */
export function notADirectory(path: string): OperationError {
  return new OperationError('not_a_directory', `Not a directory: ${path}`, { data: { path } });
}

/** The path ends in a slash or similar, but names something that is not a directory. */
export function endsAsDirectory(path: string): OperationError {
  return new OperationError('not_a_directory', `Not a directory: ${path}`, {
    details: "The path ends like a directory's, but names a file or link: drop everything after its name.",
    data: { path },
  });
}

/** For a path at which a file was expected. */
export function isADirectory(path: string): OperationError {
  return new OperationError('is_directory', `Path is a directory: ${path}`, { data: { path } });
}

/** For a FIFO, a socket or a device. */
export function notAFile(path: string): OperationError {
  return new OperationError('not_a_regular_file', `Not a regular file: ${path}`, {
    details: 'Only files, directories and symbolic links can be used; choose another path.',
    data: { path },
  });
}

/** @param parameter the one that holds the path */
export function namesDirectory(parameter: string, path: string): OperationError {
  return new OperationError('invalid_params', `Invalid params: /${parameter} ends as the path of a directory does`, {
    details:
      "A path ending like this names a directory, but a file is expected. Send the file's own path, such as notes/today.md.",
    data: { path },
  });
}

/** A directory cannot move into itself. */
export function insideItself(path: string): OperationError {
  return new OperationError('invalid_params', 'Invalid params: /new_path lies inside /old_path', {
    details: 'A directory cannot be moved into itself. Send a new_path outside of old_path.',
    data: { path },
  });
}

/** It has changed since it was checked: a retry is worthwhile. */
export function changedMeanwhile(path: string): OperationError {
  return modifiedConcurrently(path, path);
}

/** Run a step that fails with ENOENT if a directory held open has been removed. @throws changedMeanwhile then */
export function whileThere<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    throw errnoOf(error) === 'ENOENT' ? changedMeanwhile(path) : error;
  }
}
