/** The test files of the benchmarks. */

export const kilobyte = 1024;
export const megabyte = 1024 * kilobyte;

/** Sizes in bytes, one per file. Directories are keyed by the identity of this list. */
export type Files = readonly number[];

export function files(count: number, bytes: number): Files {
  return Array.from({ length: count }, () => bytes);
}

export function fileName(index: number): string {
  return `file-${String(index).padStart(4, '0')}.txt`;
}

/** The line that fileText repeats: 60 bytes with the newline. */
const line = 'A line of "ordinary" prose, 60 bytes long with its newline.\n';
export const lineBytes = line.length;

/** Text of exactly `bytes` bytes. */
export function fileText(bytes: number): string {
  return line.repeat(Math.ceil(bytes / lineBytes)).slice(0, bytes);
}
