import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

const listedFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Look at a file that a directory lists as a regular one, with half the system calls of opening it with care.
 * @param use gets what it is now, and how to read that many bytes: for counting only, since a file that changes
 *   meanwhile may come cut
 * @throws the system error if it cannot be opened
 */
export function withListed<Result>(
  path: string,
  use: (stats: Stats, read: (size: number) => Buffer) => Result,
): Result {
  const fd = openSync(path, listedFlags);
  try {
    return use(fstatSync(fd), (size) => {
      const bytes = Buffer.allocUnsafe(size);
      let length = 0;
      while (length < size) {
        const got = readSync(fd, bytes, length, size - length, length);
        if (got === 0) break;
        length += got;
      }
      return bytes.subarray(0, length);
    });
  } finally {
    closeSync(fd);
  }
}
