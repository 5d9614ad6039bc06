/**
 * `npm run prove -- safety`: what happens to files under this server, the server published by the authors of MCP, and
 * libraries for writing files. All run the same cases, at the releases in package-lock.json. The full disk needs root,
 * to mount a small file system, and is skipped otherwise.
 *
 *   npm run prove -- safety [--only="part of a name"] [--markdown]
 */
import { parseArgs } from 'node:util';
import { table } from '../../../bench/report/table.js';
import { cases, type Case } from './cases.js';
import { subjects, type Subject } from './subjects.js';

const options = { only: { type: 'string', default: '' }, markdown: { type: 'boolean', default: false } } as const;
const { only, markdown } = parseArgs({ options }).values;

const rows: string[][] = [];
for (const each of cases.filter(({ name }) => name.includes(only))) {
  const cells: string[] = [];
  for (const subject of subjects) cells.push(await observe(each, subject));
  rows.push([each.name, ...cells]);
  console.error(`${each.name}: done`);
}
const headings = ['', ...subjects.map(({ name }) => name)];
console.log(markdown ? asMarkdown([headings, headings.map(() => '---'), ...rows]) : table(headings, rows));

async function observe({ missing, ofServers, observe: look }: Case, subject: Subject): Promise<string> {
  if (missing !== undefined && missing !== false) return `not tried: ${missing}`;
  return ofServers === true && !subject.isServer ? '-' : look(subject);
}

function asMarkdown(lines: readonly (readonly string[])[]): string {
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
