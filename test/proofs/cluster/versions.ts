/** Texts that are all equally long and tell which version they are by each of the ways of looking at them. */

/** More than the window of a large file needs to be found by its index (64 KB). */
const size = 100_000;
const header = 'version 00000000';

/** A version has as many lines as its number and one more. */
export function versionedText(version: number): string {
  const first = header.replace(/0+$/, (zeros) => String(version).padStart(zeros.length, '0'));
  return `${first}\n${'x\n'.repeat(version)}`.padEnd(size - 1, '.').concat('\n');
}

/** The version that the first line names. */
export function versionOfLine(content: unknown): number {
  const digits = /^version (\d{8})(?:\n|$)/.exec(String(content))?.[1];
  if (digits === undefined) throw new Error(`no version: ${String(content).slice(0, 100)}`);
  return Number(digits);
}

/** The version that a count of lines tells: the first line, one for each version, and the filling. */
export function versionOfLines(lines: unknown): number {
  return Number(lines) - 2;
}
