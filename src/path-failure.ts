import { type ErrorKindName, type Failure, type Reason } from './errors.js';
import type { Operation } from './operations.js';
import { pathsOf, textAt } from './subject.js';

/** What the storage and edits tools call each kind of failure (contract 11), except for full disks. */
const reasonOf: Readonly<Record<ErrorKindName, Reason>> = {
  parse_error: 'invalid_params',
  invalid_request: 'invalid_params',
  forbidden: 'permission_denied',
  method_not_allowed: 'invalid_params',
  unknown_operation: 'invalid_params',
  request_too_large: 'file_too_large',
  invalid_params: 'invalid_params',
  invalid_filename: 'path_security',
  invalid_range: 'invalid_line_number',
  not_found: 'file_not_found',
  permission_denied: 'permission_denied',
  not_a_regular_file: 'not_a_file',
  too_large: 'file_too_large',
  too_many_lines: 'file_too_large',
  not_utf8: 'binary_file',
  changed: 'conflict',
  modified_concurrently: 'conflict',
  lock_timeout: 'timeout',
  no_directory: 'file_not_found',
  directory_denied: 'permission_denied',
  write_failed: 'io_error',
  write_denied: 'permission_denied',
  read_failed: 'io_error',
  not_durable: 'io_error',
  file_exists: 'file_exists',
  path_security: 'path_security',
  is_directory: 'is_directory',
  not_a_directory: 'not_a_directory',
  directory_not_empty: 'directory_not_empty',
  string_not_found: 'string_not_found',
  string_not_unique: 'string_not_unique',
  invalid_encoding: 'invalid_encoding',
  timed_out: 'timeout',
  busy: 'busy',
  shutting_down: 'busy',
  cancelled: 'busy',
  internal: 'io_error',
};

/** Errors of a disk that is full, or of a user's quota that is. */
const full: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * A failure as the storage and edits tools report it: with their code, the path, and the words of their seeds where the
 * tools for flat names say it differently.
 */
export function asToldBy(operation: Operation, params: unknown, failed: Failure): Failure {
  if (operation.paths === undefined) return failed;
  const path = pathOf(operation, params, failed);
  const diskFull = failed.kind === 'write_failed' && full.has(failed.data?.errno);
  const reason = diskFull ? 'disk_full' : reasonOf[failed.kind];
  return {
    ...failed,
    message: messageOf(operation, failed, reason, path),
    data: { ...failed.data, reason, ...(path === undefined ? {} : { path }) },
  };
}

/** If the failure complains of a parameter that holds a path, that one: of two paths, the other may be right. */
function pathOf(operation: Operation, params: unknown, { parameters, data }: Failure): string | undefined {
  if (data?.path !== undefined) return data.path;
  const named = operation.paths?.find((name) => parameters?.includes(name));
  return named === undefined ? pathsOf(operation, params)[0] : textAt(params, named);
}

/** Agents see only the message of a failed edit, so it says what to do (contract 11). */
const hints: Readonly<Partial<Record<Reason, string>>> = {
  file_not_found: 'Check that file exists.',
  permission_denied: 'Check the permissions of the file and its directory.',
  is_directory: 'Name a file in it.',
  not_a_directory: 'Check the path: a file stands where it needs a directory.',
  not_a_file: 'Check the path: only regular files can be edited.',
  binary_file: 'Check its encoding: only UTF-8 text can be edited.',
  disk_full: 'Free space, then send the edits again.',
};

function messageOf(operation: Operation, failed: Failure, reason: Reason, path = ''): string {
  const message = plainMessage(operation, failed, reason, path);
  const isFile = failed.kind !== 'no_directory' && failed.kind !== 'directory_denied';
  const hint = operation.toolset === 'edits' && isFile ? hints[reason] : undefined;
  return hint === undefined ? message : `${message}. ${hint}`;
}

function plainMessage({ paths = [] }: Operation, { kind, message }: Failure, reason: Reason, path: string): string {
  if (reason === 'disk_full') return 'Insufficient disk space';
  if (reason === 'binary_file') return 'Cannot perform text operation on binary file';
  if (kind !== 'permission_denied' && kind !== 'write_denied') return message;
  // The system does not say which of two paths it was.
  return paths.length > 1 ? 'Permission denied' : `Permission denied: ${path}`;
}
