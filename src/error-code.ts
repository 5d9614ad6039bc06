/**
 * The code of an error, such as ENOENT, or ERR_… for one of Node itself; undefined for an error without one. Workers have
 * errnoOf, which takes no ERR_… and knows names that libuv lacks.
 */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
