/**
 * Error codes of the storage and edits tools (spec 11): `data.reason` on REST and JSON-RPC, where it determines code
 * and status, and the error code on MCP.
 */
export type Reason = keyof typeof rows;

/** JSON-RPC error code, if other than the one shared by failures about files, and HTTP status. */
interface ReasonCodes {
  readonly code?: number;
  readonly status: number;
}

const rows = {
  file_not_found: { status: 404 },
  not_in_history: { status: 404 },
  file_exists: { status: 409 },
  path_security: { code: -32602, status: 400 },
  string_not_found: { status: 400 },
  string_not_unique: { status: 400 },
  binary_file: { status: 400 },
  invalid_line_number: { status: 400 },
  directory_not_empty: { status: 409 },
  permission_denied: { status: 403 },
  disk_full: { status: 507 },
  invalid_encoding: { status: 400 },
  file_too_large: { status: 413 },
  is_directory: { status: 400 },
  not_a_directory: { status: 400 },
  conflict: { status: 409 },
  busy: { status: 503 },
  timeout: { status: 504 },
  invalid_params: { code: -32602, status: 400 },
  not_a_file: { status: 400 },
  io_error: { status: 500 },
} as const satisfies Record<string, ReasonCodes>;

export const reasons: Readonly<Record<Reason, ReasonCodes>> = rows;
