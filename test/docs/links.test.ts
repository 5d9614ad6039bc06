/** Pages lead somewhere and say whom they are for: links between them, their headings, and how each begins. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string): string => readFileSync(join(repository, name), 'utf8');

/** Folders without pages of this repository: what is installed or built, and texts of others. */
const foreign = new Set(['node_modules', 'dist', 'coverage', 'workspace', 'corpora', '.git']);

function pagesIn(folder: string): string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = join(folder, entry.name);
    if (entry.isDirectory()) return foreign.has(entry.name) ? [] : pagesIn(name);
    return entry.name.endsWith('.md') ? [name] : [];
  });
}

const names = pagesIn('.');

/** What readers see as text: no code. */
function prose(name: string): string {
  return read(name)
    .replaceAll(/^( *)```[^]*?^\1```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length));
}

/** The targets of links and pictures that are not addresses of other sites. */
function relativeLinks(name: string): string[] {
  const targets = prose(name).matchAll(/\]\(<?([^)\s>]+)>?\)|(?:src|href)="([^"]+)"/g);
  return Array.from(targets, ([, link, attribute]) => link ?? attribute ?? '').filter(
    (target) => !/^[a-z][a-z\d+.-]*:/i.test(target),
  );
}

/** The anchors that GitHub gives to the headings of a page; one that repeats gets a number. */
function anchorsOf(name: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const headings = read(name)
    .replaceAll(/^( *)```[^]*?^\1```$/gm, '')
    .matchAll(/^#+ (.*)$/gm);
  for (const [, heading = ''] of headings) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const anchor = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${String(count)}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Why a link leads nowhere; undefined if it does lead somewhere. */
function fault(from: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#', 2).map(decodeURIComponent);
  const to = path === '' ? from : normalize(join(path.startsWith('/') ? '.' : dirname(from), path));
  if (to.startsWith('..') || !existsSync(join(repository, to))) return `${from}: ${link} does not exist`;
  if (anchor === undefined || !to.endsWith('.md')) return undefined;
  return anchorsOf(to).has(anchor) ? undefined : `${from}: ${link}: no such heading`;
}

describe('a link in a page', () => {
  for (const name of names) {
    it(`leads to a file and a heading that exist: ${name}`, () => {
      const faults = relativeLinks(name).map((link) => fault(name, link));
      assert.deepEqual(
        faults.filter((each) => each !== undefined),
        [],
      );
    });
  }
});

describe('a page in docs', () => {
  const reader =
    /\b[Ff]or (?:people|everyone|anyone|those|operators|programmers|maintainers|developers|authors|contributors|readers|users|teams|you)\b|\byou (?:want|need|run|write|are)\b/;

  for (const name of names.filter((each) => /^docs\/[^/]+\.md$/.test(each) && !each.endsWith('CHANGELOG.md'))) {
    it(`begins with a paragraph that says who needs it: ${name}`, () => {
      const [title = '', first = ''] = read(name).split(/\n\n/, 2);
      assert.match(title, /^# \S[^\n]*$/);
      assert.doesNotMatch(first, /^[#|>`\-*\d]/, 'no paragraph');
      assert.match(first, reader);
    });
  }
});
