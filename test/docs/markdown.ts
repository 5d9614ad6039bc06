/** Parts of a page: its sections, and the cells of its tables. */
import assert from 'node:assert/strict';

/** The sections below headings of the second rank, by their titles. */
export function sectionsOf(text: string): ReadonlyMap<string, string> {
  const [, ...sections] = text.split(/^## /m);
  return new Map(sections.map((section) => [section.split('\n', 1).join(''), section]));
}

/** The cells of a table, row by row. @param head its first line, without the bars */
export function tableOf(text: string, head: string): string[][] {
  const [, table = ''] = text.split(`\n| ${head} |\n`);
  const [, ...lines] = (/^(?:\|.*\n)+/.exec(table)?.[0] ?? '').trimEnd().split('\n');
  assert.ok(lines.length > 0, head);
  return lines.map((line) => line.replace(/^\| ?| ?\|$/g, '').split(/ ?(?<!\\)\| ?/));
}
