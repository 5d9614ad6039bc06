/**
 * The code of an error: ENOENT and the like, or Node's own ERR_…; undefined if it has none. Workers use errnoOf
 * instead, which ignores ERR_… and knows names that libuv lacks.
 */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Whether the system denied access. */
export function isDenied(errno: string | undefined): errno is 'EACCES' | 'EPERM' {
  return errno === 'EACCES' || errno === 'EPERM';
}

/** Whether the disk or a user's quota is full. */
export function isDiskFull(errno: string | undefined): boolean {
  return errno === 'ENOSPC' || errno === 'EDQUOT';
}
