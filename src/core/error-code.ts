/**
 * The code of an error, such as ENOENT, or ERR_… for one of Node itself; undefined for an error without one. Workers have
 * errnoOf, which takes no ERR_… and knows names that libuv lacks.
 */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Whether this process has no right to what it asked for. */
export function isDenied(errno: string | undefined): errno is 'EACCES' | 'EPERM' {
  return errno === 'EACCES' || errno === 'EPERM';
}

/** Whether a disk is full, or a user's quota. */
export function isDiskFull(errno: string | undefined): boolean {
  return errno === 'ENOSPC' || errno === 'EDQUOT';
}
