/** THE TABLE of the ways a request can fail: to add one, add a row. */
import type { ErrorKind } from './error-kind.js';

const kinds = {
  // Before the operation is known.
  parse_error: {
    code: -32700,
    status: 400,
    reason: 'invalid_params',
    occursIn: 'request',
    advice: 'Send the request as one valid JSON text in UTF-8, without a byte order mark.',
  },
  invalid_request: {
    code: -32600,
    status: 400,
    reason: 'invalid_params',
    occursIn: 'request',
    advice: 'Correct the request as the message says and send it again.',
  },
  unauthorized: {
    code: -32600,
    status: 401,
    reason: 'permission_denied',
    occursIn: 'none',
    advice: 'Send the header Authorization: Bearer <token>, with a token of this server.',
  },
  forbidden: {
    code: -32600,
    status: 403,
    reason: 'permission_denied',
    occursIn: 'request',
    advice: 'Call the server by its own address, or ask for a restart with --allow-origin for this origin.',
  },
  method_not_allowed: {
    code: -32600,
    status: 405,
    reason: 'invalid_params',
    occursIn: 'none',
    advice: 'Use one of the methods in the Allow header.',
  },
  unknown_operation: {
    code: -32601,
    status: 404,
    reason: 'invalid_params',
    occursIn: 'none',
    advice: 'Use one of the operations that this server offers.',
  },
  request_too_large: {
    code: -32600,
    status: 413,
    reason: 'file_too_large',
    occursIn: 'request',
    advice: 'Split the work into several smaller requests, or ask for a restart with a larger --max-size.',
  },

  // About the parameters.
  invalid_params: {
    code: -32602,
    status: 400,
    reason: 'invalid_params',
    occursIn: 'all',
    advice: 'Correct the parameters and send the request again.',
  },
  invalid_filename: {
    code: -32602,
    status: 400,
    reason: 'path_security',
    occursIn: 'name',
    advice: 'Use a plain file name without path separators, as list_files reports it.',
  },
  invalid_range: {
    code: -32602,
    status: 400,
    reason: 'invalid_line_number',
    occursIn: 'some',
    advice: 'Read the file to learn its line count, then send line numbers within it.',
  },

  // About the file.
  not_found: {
    status: 404,
    reason: 'file_not_found',
    occursIn: 'file',
    callersOwn: true,
    advice: 'Call list_files to see which files exist.',
  },
  permission_denied: {
    status: 403,
    reason: 'permission_denied',
    occursIn: 'file',
    advice: 'Choose another file, or give the user that runs the server access to this one.',
  },
  /** Denied by the server or the caller's token, not by the system (spec 16 and 17); file permissions play no role. */
  not_allowed: {
    status: 403,
    reason: 'permission_denied',
    occursIn: 'none',
    advice: 'Use what is allowed, or ask for this to be allowed.',
  },
  not_a_regular_file: {
    status: 400,
    reason: 'not_a_file',
    occursIn: 'file',
    callersOwn: true,
    advice: 'Only regular text files can be read and edited; call list_files to see them.',
  },
  too_large: {
    status: 413,
    reason: 'file_too_large',
    occursIn: 'file',
    callersOwn: true,
    advice: 'Work with a smaller file, or ask for the server to be restarted with a larger --max-size.',
  },
  too_many_lines: {
    status: 413,
    reason: 'file_too_large',
    occursIn: 'file',
    callersOwn: true,
    advice: 'Work with a file of fewer lines, or ask for the server to be restarted with a larger --max-lines.',
  },
  not_utf8: {
    status: 400,
    reason: 'binary_file',
    occursIn: 'file',
    callersOwn: true,
    advice: 'Convert the file to UTF-8 first, or choose another one.',
  },
  changed: {
    status: 412,
    reason: 'conflict',
    occursIn: 'some',
    callersOwn: true,
    advice:
      'Nothing was written by this request. If it repeats one whose answer was lost, your edit may already be in the file: look first. Read the file again and edit its current content, with its current hash.',
  },
  modified_concurrently: {
    status: 409,
    reason: 'conflict',
    occursIn: 'write',
    advice: 'Nothing was written. Another program changed the file during the edit; read it again and retry.',
  },
  lock_timeout: {
    status: 409,
    reason: 'timeout',
    occursIn: 'write',
    advice: 'Nothing was written. Another edit holds this file; retry in a moment.',
  },
  no_directory: {
    status: 404,
    reason: 'file_not_found',
    occursIn: 'all',
    advice: 'The working directory is missing; restore it before any file can be used.',
  },
  directory_denied: {
    status: 403,
    reason: 'permission_denied',
    occursIn: 'all',
    advice: 'The server lacks permission to use its working directory; its owner must fix the permissions.',
  },
  write_failed: {
    status: 500,
    reason: 'io_error',
    occursIn: 'write',
    advice: 'Nothing was written. Fix the cause that the message names, then retry.',
  },
  write_denied: {
    status: 403,
    reason: 'permission_denied',
    occursIn: 'write',
    advice: 'Nothing was written. The server lacks permission to read or write here; the owner must grant it.',
  },
  read_failed: {
    status: 500,
    reason: 'io_error',
    occursIn: 'all',
    advice: 'The file could not be read because of a system error; retry, and check the disk if it persists.',
  },
  not_durable: {
    status: 500,
    reason: 'io_error',
    occursIn: 'write',
    advice: 'The edit is in the file but may not survive a power failure. Read the file before repeating anything.',
  },

  // Of the storage and edits tools.
  file_exists: {
    status: 409,
    reason: 'file_exists',
    occursIn: 'some',
    callersOwn: true,
    advice: 'Nothing was changed. Edit the file that is there, or choose another path.',
  },
  undo_conflict: {
    status: 409,
    reason: 'conflict',
    occursIn: 'some',
    callersOwn: true,
    advice: 'Nothing was changed. Look at the file and at its history, then edit it.',
  },
  not_in_history: {
    status: 404,
    reason: 'not_in_history',
    occursIn: 'some',
    callersOwn: true,
    advice: 'Call history to see the changes that are recorded.',
  },
  path_security: {
    code: -32602,
    status: 400,
    reason: 'path_security',
    occursIn: 'path',
    advice: 'Use a path below the working directory, such as notes/today.md; an empty path is that directory itself.',
  },
  is_directory: {
    status: 400,
    reason: 'is_directory',
    occursIn: 'path',
    callersOwn: true,
    advice: 'View the directory, then choose one of its files.',
  },
  not_a_directory: {
    status: 400,
    reason: 'not_a_directory',
    occursIn: 'path',
    callersOwn: true,
    advice: 'Part of the path is a file, not a directory; view the directory above it.',
  },
  directory_not_empty: {
    status: 409,
    reason: 'directory_not_empty',
    occursIn: 'some',
    callersOwn: true,
    advice: 'Delete its contents first, including hidden entries, whose names begin with a dot and are not listed.',
  },
  string_not_found: {
    status: 400,
    reason: 'string_not_found',
    occursIn: 'some',
    callersOwn: true,
    advice: 'Nothing was written. Read the file and send the text exactly as it is there, white space included.',
  },
  string_not_unique: {
    status: 400,
    reason: 'string_not_unique',
    occursIn: 'some',
    callersOwn: true,
    advice: 'Nothing was written. Include surrounding lines, so that the text occurs only once in the file.',
  },
  invalid_encoding: {
    status: 400,
    reason: 'invalid_encoding',
    occursIn: 'path',
    callersOwn: true,
    advice: 'Nothing was written. Send well-formed Unicode, without lone surrogates.',
  },

  // Of the server.
  timed_out: {
    code: -32603,
    status: 504,
    reason: 'timeout',
    occursIn: 'all',
    advice:
      'Nothing was written. Retry; if it happens again, do less in one request or ask for the server to be restarted with a longer --timeout.',
  },
  busy: {
    code: -32000,
    status: 503,
    reason: 'busy',
    occursIn: 'all',
    advice: 'Nothing was done. Retry after a short pause.',
  },
  shutting_down: {
    code: -32000,
    status: 503,
    reason: 'busy',
    occursIn: 'all',
    advice: 'Nothing was done. Retry once the server is running again.',
  },
  cancelled: {
    code: -32000,
    status: 503,
    reason: 'busy',
    occursIn: 'none',
    advice: 'Nothing was written. The caller cancelled this request.',
  },
  internal: {
    code: -32603,
    status: 500,
    reason: 'io_error',
    occursIn: 'all',
    advice: 'Retry once; if it fails again, search the server log for this request id.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorKindName = keyof typeof kinds;
export const errorKinds: Readonly<Record<ErrorKindName, ErrorKind>> = kinds;

/** In the order of the table. */
export const errorKindNames = Object.keys(kinds).filter((name): name is ErrorKindName => name in kinds);
