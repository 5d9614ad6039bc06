/** Texts of equal length whose version can be recognized by each way of reading them. */

/** Above the size from which a window is found by the line index (64 KB). */
const size = 100_000;
const header = 'version 00000000';

/** Version n has n + 1 lines. */
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

/** The version that a line count implies: the first line, one for each version, and the filling. */
export function versionOfLines(lines: unknown): number {
  return Number(lines) - 2;
}
