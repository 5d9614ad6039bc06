/** Every test that docs/conformance.md names exists, so that renaming one cannot remove a proof unnoticed. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { page } from './newcomer.js';

const repository = new URL('../../', import.meta.url);

interface Row {
  readonly cells: readonly string[];
  /** Files, and the titles or pieces of titles that must be in them. */
  readonly tests: readonly { readonly file: string; readonly titles: readonly string[] }[];
}

/** The rows of all tables whose last column is about tests. */
function rows(): Row[] {
  const [, ...sections] = page('docs/conformance.md').split(/^(?=## )/m);
  const lines =
    sections
      .filter((section) => section.includes('| shown by |'))
      .join('')
      .match(/^\| .*\|$/gm) ?? [];
  const cells = lines.map((line) => line.slice(2, -2).split(/ (?<!\\)\| /));
  return cells
    .filter(([, , , shown]) => shown !== 'shown by' && shown !== undefined)
    .map((row) => ({ cells: row, tests: testsIn(row[3] ?? '') }));
}

/** `file`: "title", "title", `file`: "title" */
function testsIn(cell: string): Row['tests'] {
  return [...cell.matchAll(/`([^`]+)`: ("[^`]*")/g)].map(([, file = '', titles = '']) => ({
    file,
    titles: [...titles.matchAll(/"([^"]*)"/g)].map(([, title = '']) => title),
  }));
}

/** What a test, a case or a figure is called: the first text in a call or an array, or a member `title`. */
function titlesIn(file: string): string[] {
  const text = readFileSync(file === 'perf-budgets.json' ? new URL(file, repository) : inTests(file), 'utf8');
  if (file.endsWith('.json')) return text.match(/(?<=^ {4}").+(?=": \{$)/gm) ?? [];
  const literals = text.matchAll(/(?:[([]|\btitle:|^ {2})\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gm);
  return [...literals].map(([, , title = '']) => title);
}

const inTests = (file: string): URL => new URL(`test/${file}`, repository);

describe('docs/conformance.md', () => {
  const all = rows();

  it('has a test for each row', () => {
    assert.ok(all.length > 150, String(all.length));
    for (const { cells } of all) {
      assert.equal(cells.length, 4, cells.join(' | '));
      assert.match(cells[3] ?? '', /^(?:`[^`]+`: (?:"[^"]{3,}"(?:, (?=")|(?:, (?=`)|$)))+)+$/, cells.join(' | '));
    }
  });

  it('names tests that exist', () => {
    const missing = all.flatMap(({ tests }) =>
      tests.flatMap(({ file, titles }) => {
        if (file !== 'perf-budgets.json' && !existsSync(inTests(file))) return [file];
        const known = titlesIn(file);
        return titles
          .filter((title) => !known.some((each) => each.includes(title)))
          .map((title) => `${file}: ${title}`);
      }),
    );
    assert.deepEqual([...new Set(missing)], []);
  });
});
