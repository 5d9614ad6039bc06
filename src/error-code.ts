/** What the system calls the reason of an error, such as ENOENT; undefined for an error of another kind. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
