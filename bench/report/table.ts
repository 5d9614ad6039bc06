/** Text columns for people: the first left-aligned, the others right-aligned, under a line of headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, column) => (column === 0 ? (cells[0] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width)))
      .join('  ')
      .trimEnd();
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** A figure with about three digits and its unit; a count in full; `-` for a missing measurement. */
export function figure(value: number | undefined, unit = ''): string {
  if (value === undefined || !Number.isFinite(value)) return '-';
  const digits = value >= 100 || unit === '' ? 0 : value >= 10 ? 1 : 2;
  const number = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === '' ? number : `${number} ${unit}`;
}
