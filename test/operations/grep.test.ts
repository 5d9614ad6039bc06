/** Searches in files, against the obvious search: however they are divided, paged, repeated and remembered (spec 13). */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from '../fast-check.js';
import { valueOf } from '../../src/call/result-json.js';
import { OperationError, type Outcome } from '../../src/core/errors.js';
import { rows, type Params, type Results } from '../../src/core/operations.js';
import { Phase } from '../../src/core/thread/task.js';
import { PendingCall, type RunContext } from '../../src/pool/pending-call.js';
import { RememberedSearches } from '../../src/pool/remembered-searches.js';
import { isSearch, Search } from '../../src/pool/search.js';
import { grep } from '../../workers/operations/grep.js';
import { Progress } from '../../workers/progress.js';
import type { Workspace } from '../../workers/workspace.js';
import { withDirectory } from '../directory.js';
import { instead, mend, systemError } from '../faults.js';
import { workspaceOf } from '../workspace.js';

type Found = Results['grep'];
type Tree = Readonly<Record<string, string>>;

/** How a search is run in this thread. */
interface Way {
  readonly threads?: number;
  /** For each part; 0 divides it after each file. */
  readonly stopAfterMs?: number;
  readonly searches?: RememberedSearches;
  readonly context?: RunContext;
  /** Told of each part. */
  readonly onPart?: () => void;
}

async function searchIn(
  workspace: Workspace,
  params: Params['grep'],
  { threads = 1, stopAfterMs, searches = new RememberedSearches(0), context = {}, onPart }: Way = {},
): Promise<Outcome> {
  workspace.root.refresh();
  const call = new PendingCall(rows.grep, params, context, 60_000);
  assert.ok(isSearch(call));
  new Search(call, searches.use(params), 60_000, threads, async (part) => {
    onPart?.();
    // Parts end in any order.
    for (let rounds = randomInt(4); rounds > 0; rounds--) await wait(0);
    const { search, model } = part.context;
    assert.ok(search !== undefined);
    const progress = new Progress(new Int32Array(new SharedArrayBuffer(4)), 0);
    try {
      const mine = { ...search, stopAfterMs: stopAfterMs ?? search.stopAfterMs };
      part.settle(
        await grep(params, { workspace, progress, precondition: undefined, model, search: mine, notices: [] }),
      );
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      part.settle(error.failure);
    }
    part.endIfSettled();
  }).start();
  await call.ended;
  return call.answer;
}

async function foundIn(workspace: Workspace, params: Params['grep'], way: Way = {}): Promise<Found> {
  const outcome = await searchIn(workspace, params, way);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  const { files, ...counts } = outcome.result;
  return { ...(counts as Omit<Found, 'files'>), files: valueOf(files) as Found['files'] };
}

/** The obvious search. */
function oracle(tree: Tree, pattern: RegExp): Found['files'] {
  return Object.keys(tree)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .flatMap((path) => {
      const lines = (tree[path] ?? '').split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      const matches = lines.flatMap((text, index) => (pattern.test(text) ? [{ line: index + 1, text }] : []));
      return matches.length === 0 ? [] : [{ path, count: matches.length, matches }];
    });
}

const name = fc.constantFrom('a', 'b', 'a-b', 'b.c', 'é', '😀', '\uff5e');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const text = fc.array(fc.constantFrom('x', 'y', 'xy', '', 'yx x'), { maxLength: 6 }).map((lines) => lines.join('\n'));

/** No path is a directory of another. */
const trees: fc.Arbitrary<Tree> = fc
  .uniqueArray(fc.tuple(path, text), { maxLength: 25, selector: ([each]) => each })
  .map((entries) => {
    const paths = entries.map(([each]) => each);
    return Object.fromEntries(entries.filter(([each]) => !paths.some((other) => other.startsWith(`${each}/`))));
  });

function put(directory: string, tree: Tree): void {
  for (const [at, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(directory, at)), { recursive: true });
    writeFileSync(join(directory, at), content);
  }
}

async function withTree(tree: Tree, use: (workspace: Workspace, directory: string) => Promise<void>): Promise<void> {
  await withDirectory({}, async (directory) => {
    put(directory, tree);
    const workspace = workspaceOf(directory);
    try {
      await use(workspace, directory);
    } finally {
      workspace.close();
    }
  });
}

/** All pages, put together: the files as if there were only one page. */
async function pagesOf(workspace: Workspace, params: Params['grep'], way: Way): Promise<Found['files'][]> {
  const pages: Found['files'][] = [];
  let cursor: string | undefined;
  do {
    const page = await foundIn(workspace, { ...params, ...(cursor === undefined ? {} : { cursor }) }, way);
    assert.equal(page.truncated, page.cursor !== undefined);
    assert.ok(page.cursor === undefined || page.cursor !== cursor);
    pages.push(page.files);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

function together(pages: readonly Found['files'][]): Found['files'] {
  const files = new Map<string, Found['files'][number]>();
  for (const file of pages.flat()) {
    const before = files.get(file.path);
    files.set(file.path, { ...file, matches: [...(before?.matches ?? []), ...(file.matches ?? [])] });
  }
  return [...files.values()];
}

describe('a search in files', () => {
  it('finds what the obvious search finds, however it is divided among threads, and on whatever pages', () =>
    fc.assert(
      fc.asyncProperty(
        trees,
        fc.constantFrom('x', '^y', 'x x|^xy$', ''),
        fc.record({ threads: fc.integer({ min: 1, max: 4 }), stopAfterMs: fc.constantFrom(0, 1000) }),
        fc.integer({ min: 1, max: 12 }),
        (tree, pattern, way, limit) =>
          withTree(tree, async (workspace) => {
            const all = oracle(tree, new RegExp(pattern, 'u'));
            const whole = await foundIn(workspace, { pattern, limit: 10_000 }, way);
            assert.deepEqual(whole.files, all);
            assert.equal(whole.total_files, all.length);
            assert.equal(whole.searched, Object.keys(tree).length);
            const pages = await pagesOf(workspace, { pattern, limit }, way);
            assert.deepEqual(together(pages), all);
            for (const page of pages.slice(0, -1)) {
              assert.equal(
                page.reduce((sum, { matches = [] }) => sum + matches.length, 0),
                limit,
              );
            }
            const counts = await pagesOf(workspace, { pattern, limit, mode: 'files' }, way);
            assert.deepEqual(
              counts.flat(),
              all.map(({ path, count }) => ({ path, count })),
            );
          }),
      ),
      { numRuns: 60 },
    ));

  it('finds the same again, and what has changed meanwhile, from what it remembers', () =>
    fc.assert(
      fc.asyncProperty(
        trees,
        trees,
        fc.array(fc.constantFrom('x', 'xy', 'y', 'x x', 'x.x', 'yx'), { minLength: 2, maxLength: 9 }),
        (tree, changes, patterns) =>
          withTree(tree, async (workspace, directory) => {
            const searches = new RememberedSearches(65_536);
            const way = { searches, threads: 2 };
            const now = { ...tree };
            // Time stamps of files as young as these prove nothing.
            await wait(120);
            for (const [index, pattern] of patterns.entries()) {
              if (index === Math.floor(patterns.length / 2)) {
                for (const [at, content] of Object.entries(changes)) {
                  if (at in tree) now[at] = content;
                }
                put(directory, now);
                const [gone] = Object.keys(now);
                if (gone !== undefined) {
                  rmSync(join(directory, gone));
                  Reflect.deleteProperty(now, gone);
                }
              }
              for (const mode of ['files', 'lines'] as const) {
                const { files, searched } = await foundIn(workspace, { pattern, mode }, way);
                const expected = oracle(now, new RegExp(pattern, 'u'));
                assert.deepEqual(
                  files,
                  mode === 'lines' ? expected : expected.map(({ path, count }) => ({ path, count })),
                );
                assert.equal(searched, Object.keys(now).length);
              }
            }
          }),
      ),
      { numRuns: 25 },
    ));

  it('is cut for a model to what a text may hold, and goes on from there', () => {
    const tree = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`f${String(100 + index)}`, `x${'y'.repeat(index * 7)}\n`.repeat(5)]),
    );
    return withTree(tree, async (workspace) => {
      const context: RunContext = { model: { filledIn: [], maxChars: 1000 } };
      const pages = await pagesOf(workspace, { pattern: 'x' }, { context, threads: 3, stopAfterMs: 0 });
      assert.deepEqual(together(pages), oracle(tree, /x/));
      for (const page of pages) {
        const characters = page.flatMap(({ matches = [] }) => matches).reduce((sum, { text }) => sum + text.length, 0);
        assert.ok(characters < 1000);
      }
      assert.ok(pages.length > 10 && pages.length < 60, String(pages.length));
    });
  });

  it('shows a model the nearest lines around a match, where the first match alone would be too long', () => {
    const long = 'y'.repeat(700);
    const content = Array.from({ length: 9 }, (_, line) => (line % 4 === 0 ? `${long}x${long}` : 'y'.repeat(150)));
    return withTree({ a: '', [`b${'-'.repeat(70)}`]: content.join('\n') }, async (workspace) => {
      const context: RunContext = { model: { filledIn: [], maxChars: 1000 } };
      const pages = await pagesOf(workspace, { pattern: 'x', context: 3 }, { context, threads: 2 });
      const shown = pages.map((page) => page.flatMap(({ matches = [] }) => matches));
      assert.deepEqual(
        shown.map((matches) => matches.map(({ line }) => line)),
        [[1], [5], [9]],
      );
      for (const { text, before = [], after = [] } of shown.flat()) {
        const characters = [text, ...before, ...after].join('\n').length;
        assert.ok(characters > 500 && characters < 800, String(characters));
        assert.match(text, /^…y+xy+…$/);
      }
      const [page] = await pagesOf(workspace, { pattern: 'yy', return_hash: true, context: 1, limit: 1 }, { context });
      assert.match(page?.[0]?.matches?.[0]?.text ?? '', /^y{300,498}…$/);
    });
  });

  it('counts what it cannot read once, however it is divided', () => {
    const tree = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `${String(index % 6)}/${index % 5 === 0 ? 'closed' : 'open'}/f${String(index)}`,
        'x\n',
      ]),
    );
    return withTree(tree, async (workspace) => {
      instead('readdirSync', (call, path, ...more) => {
        if (basename(realpathSync(String(path))) === 'closed') throw systemError('EACCES');
        return call(path, ...more);
      });
      const asModel = { context: { model: { filledIn: [], maxChars: 0 } } };
      const asked: readonly (readonly [glob: string, way: Way])[] = [
        ['**', {}],
        ['**', { threads: 3, stopAfterMs: 0 }],
        ['*\\*\\*', { threads: 3, stopAfterMs: 0, ...asModel }],
      ];
      for (const [glob, way] of asked) {
        const outcome = await searchIn(workspace, { pattern: 'x', glob }, way);
        assert.ok(outcome.ok);
        assert.deepEqual(outcome.result['skipped'], { binary: 0, too_large: 0, unreadable: 6 });
        assert.equal(outcome.result['total_matches'], 24);
        assert.deepEqual(
          outcome.forModel?.leftOut,
          ['0/closed', '1/closed', '2/closed'].map((at) => ({ path: at, why: 'unreadable' })),
        );
      }
      mend();
    });
  });

  it('counts in all, however it is divided', () => {
    const tree = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`d/${String(index)}`, 'x\n'.repeat(index)]),
    );
    return withTree(tree, async (workspace) => {
      for (const way of [{}, { threads: 3, stopAfterMs: 0 }]) {
        const counts = await foundIn(workspace, { pattern: 'x', mode: 'count', limit: 2 }, way);
        assert.deepEqual(counts, {
          files: [],
          total_matches: 435,
          total_files: 29,
          searched: 30,
          skipped: { binary: 0, too_large: 0, unreadable: 0 },
          truncated: false,
        });
      }
    });
  });

  it('shows no file twice, though it has fewer matches when a part has to be searched again', async () => {
    const all = (content: string): Tree =>
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${String(100 + index)}`, content]));
    for (let change = 20; change < 30; change++) {
      await withTree(all('x\n'.repeat(9)), async (workspace, directory) => {
        let parts = 0;
        const onPart = (): void => {
          if (++parts === change) put(directory, all('x\n'));
        };
        const { files } = await foundIn(workspace, { pattern: 'x', limit: 50 }, { threads: 4, stopAfterMs: 0, onPart });
        const paths = files.map(({ path }) => path);
        assert.deepEqual(paths, [...new Set(paths)].sort());
      });
    }
  });

  it('takes few parts, though each has to read long rules first', () => {
    const tree = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${String(index)}`, 'x\n']));
    const rules = `*${'f'.repeat(120)}b\n`.repeat(8000);
    return withTree({ ...tree, '.gitignore': rules }, async (workspace) => {
      let parts = 0;
      const onPart = (): void => void (parts += 1);
      const { total_files: found } = await foundIn(workspace, { pattern: 'x' }, { threads: 2, onPart });
      assert.equal(found, 60);
      assert.ok(parts < 30, String(parts));
    });
  });

  it('ends with its call, in the middle of a tree', () =>
    withTree(
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`d${String(index)}/f`, 'x\n'])),
      async (workspace) => {
        const ending = new AbortController();
        let parts = 0;
        const outcome = await searchIn(
          workspace,
          { pattern: 'nothing' },
          {
            threads: 2,
            stopAfterMs: 0,
            context: { signal: ending.signal },
            onPart: () => {
              if (++parts === 5) ending.abort();
            },
          },
        );
        assert.ok(!outcome.ok && outcome.kind === 'cancelled');
        assert.ok(parts < 10, String(parts));
      },
    ));

  it('stops in its thread once it is cancelled, within a directory and within a file', () =>
    withTree({ large: `${'ab'.repeat(2_000_000)}\n` }, async (workspace) => {
      for (const path of ['', 'large']) {
        const phases = new Int32Array(new SharedArrayBuffer(4));
        const search = {
          range: {},
          room: { matches: 1, characters: Infinity, bytes: Infinity },
          isFirst: true,
          stopAfterMs: 60_000,
          column: 0,
          remembered: [],
        };
        workspace.root.refresh();
        const progress = new Progress(phases, 0);
        const params = { pattern: '(a|b)*(ab){20}[cd]', path };
        const searching = grep(params, { workspace, progress, precondition: undefined, search, notices: [] });
        Atomics.store(phases, 0, Phase.cancelled);
        await assert.rejects(Promise.resolve(searching), { kind: 'cancelled' });
      }
    }));
});
