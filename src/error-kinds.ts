/**
 * Every way a request can fail, each once. Code branches on the kind; `code` and `status` are what the fronts send
 * (contract 5.5); `advice` is the default for `data.details`: what an agent should do next.
 */
export interface ErrorKind {
  /** JSON-RPC error code. */
  readonly code: number;
  /** HTTP status of the REST front. */
  readonly status: number;
  readonly advice: string;
}

/**
 * What the storage and edits tools call their errors (contract 11): `data.reason` on REST and JSON-RPC, which
 * determines their codes and statuses, and the error code on MCP.
 */
export type Reason = keyof typeof reasons;

/** Code and status of each. */
export const reasons = {
  file_not_found: { code: -32001, status: 404 },
  file_exists: { code: -32001, status: 409 },
  path_security: { code: -32602, status: 400 },
  string_not_found: { code: -32001, status: 400 },
  string_not_unique: { code: -32001, status: 400 },
  binary_file: { code: -32001, status: 400 },
  invalid_line_number: { code: -32001, status: 400 },
  directory_not_empty: { code: -32001, status: 409 },
  permission_denied: { code: -32001, status: 403 },
  disk_full: { code: -32001, status: 507 },
  invalid_encoding: { code: -32001, status: 400 },
  file_too_large: { code: -32001, status: 413 },
  is_directory: { code: -32001, status: 400 },
  not_a_directory: { code: -32001, status: 400 },
  conflict: { code: -32001, status: 409 },
  busy: { code: -32001, status: 503 },
  timeout: { code: -32001, status: 504 },
  invalid_params: { code: -32602, status: 400 },
  not_a_file: { code: -32001, status: 400 },
  io_error: { code: -32001, status: 500 },
} as const satisfies Record<string, Pick<ErrorKind, 'code' | 'status'>>;

const kinds = {
  // Refused before an operation is known.
  parse_error: {
    code: -32700,
    status: 400,
    advice: 'Send the request as one valid JSON text in UTF-8, without a byte order mark.',
  },
  invalid_request: {
    code: -32600,
    status: 400,
    advice: 'Correct the request as the message says and send it again.',
  },
  forbidden: {
    code: -32600,
    status: 403,
    advice: 'Call the server by its own address, or start it with --allow-origin for this browser origin.',
  },
  method_not_allowed: {
    code: -32600,
    status: 405,
    advice: 'Use one of the methods in the Allow header.',
  },
  unknown_operation: {
    code: -32601,
    status: 404,
    advice: 'Use one of the operations that this server offers.',
  },
  request_too_large: {
    code: -32600,
    status: 413,
    advice: 'Split the work into several smaller requests, or start the server with a larger --max-size.',
  },

  // About the parameters.
  invalid_params: {
    code: -32602,
    status: 400,
    advice: 'Correct the parameters and send the request again.',
  },
  invalid_filename: {
    code: -32602,
    status: 400,
    advice: 'Use a plain file name without path separators, as list_files reports it.',
  },
  invalid_range: {
    code: -32602,
    status: 400,
    advice: 'Read the file to learn its line count, then send line numbers within it.',
  },

  // About the file.
  not_found: {
    code: -32001,
    status: 404,
    advice: 'Call list_files to see which files exist.',
  },
  permission_denied: {
    code: -32001,
    status: 403,
    advice:
      'The server has no permission to do this with the file; choose another one, or ask for its permissions to be changed.',
  },
  not_a_regular_file: {
    code: -32001,
    status: 400,
    advice: 'Only regular text files can be read and edited; call list_files to see them.',
  },
  too_large: {
    code: -32001,
    status: 413,
    advice: 'Work with a smaller file, or start the server with a larger --max-size.',
  },
  too_many_lines: {
    code: -32001,
    status: 413,
    advice: 'Work with a file of fewer lines, or start the server with a larger --max-lines.',
  },
  not_utf8: {
    code: -32001,
    status: 400,
    advice: 'Only UTF-8 text can be read and edited; convert the file first or choose another one.',
  },
  changed: {
    code: -32001,
    status: 412,
    advice:
      'Nothing was written by this request. If it repeats one whose answer was lost, your edit may already be in the file: look first. Read the file again and edit its current content, with its current hash.',
  },
  modified_concurrently: {
    code: -32001,
    status: 409,
    advice: 'Nothing was written. Another program changed the file during the edit; read it again and retry.',
  },
  lock_timeout: {
    code: -32001,
    status: 409,
    advice: 'Nothing was written. Another edit holds this file; retry in a moment.',
  },
  no_directory: {
    code: -32001,
    status: 404,
    advice: 'The working directory is missing; it must exist again before any file can be used.',
  },
  directory_denied: {
    code: -32001,
    status: 403,
    advice: 'The server may not use its working directory; its owner must fix the permissions.',
  },
  write_failed: {
    code: -32001,
    status: 500,
    advice: 'Nothing was written. Fix the cause that the message names, then retry.',
  },
  write_denied: {
    code: -32001,
    status: 403,
    advice: 'Nothing was written. The server may not read and write here; the owner must fix the permissions.',
  },
  read_failed: {
    code: -32001,
    status: 500,
    advice: 'The file could not be read because of a system error; retry, and check the disk if it persists.',
  },
  not_durable: {
    code: -32001,
    status: 500,
    advice: 'The edit is in the file but may not survive a power failure. Read the file before repeating anything.',
  },

  // Of the storage and edits tools.
  file_exists: {
    code: -32001,
    status: 409,
    advice: 'Nothing was changed. Edit the file that is there, or choose another path.',
  },
  path_security: {
    code: -32602,
    status: 400,
    advice: 'Use a path below the working directory, such as notes/today.md; an empty path is that directory itself.',
  },
  is_directory: {
    code: -32001,
    status: 400,
    advice: 'A directory is there. Name a file in it.',
  },
  not_a_directory: {
    code: -32001,
    status: 400,
    advice: 'A file stands where the path needs a directory; look into the directory above it to see what is there.',
  },
  directory_not_empty: {
    code: -32001,
    status: 409,
    advice: 'Delete what is in it first. Names that begin with a dot are not listed, and count too.',
  },
  string_not_found: {
    code: -32001,
    status: 400,
    advice: 'Nothing was written. Read the file and send the text exactly as it is there, white space included.',
  },
  string_not_unique: {
    code: -32001,
    status: 400,
    advice: 'Nothing was written. Send a longer text, with lines around it, that is in the file only once.',
  },
  invalid_encoding: {
    code: -32001,
    status: 400,
    advice: 'Nothing was written. Send whole Unicode characters: one half of a surrogate pair is none.',
  },

  // Of the server.
  timed_out: {
    code: -32603,
    status: 504,
    advice:
      'Nothing was written. Retry; if it happens again, do less in one request or start the server with a longer --timeout.',
  },
  busy: { code: -32000, status: 503, advice: 'Nothing was done. Retry after a short pause.' },
  shutting_down: {
    code: -32000,
    status: 503,
    advice: 'Nothing was done. Retry when the server has been started again.',
  },
  cancelled: { code: -32000, status: 503, advice: 'Nothing was written. The caller cancelled this request.' },
  internal: {
    code: -32603,
    status: 500,
    advice: 'Retry once; if it fails again, look at the server log under this request id.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorKindName = keyof typeof kinds;
export const errorKinds: Readonly<Record<ErrorKindName, ErrorKind>> = kinds;
