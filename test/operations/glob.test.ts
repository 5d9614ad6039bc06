/** Searches by name: their pages, and how they share a thread (spec 13). */
import assert from 'node:assert/strict';
import { realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { OperationError } from '../../src/core/errors.js';
import { Scope } from '../../src/core/globs/scope.js';
import type { Params } from '../../src/core/operations.js';
import { globFiles } from '../../workers/operations/glob.js';
import { Progress } from '../../workers/progress.js';
import { valueOf } from '../../src/call/result-json.js';
import { globTool } from '../../src/protocols/mcp/tools/glob.js';
import { withDirectory } from '../directory.js';
import { failing, instead, mend, systemError } from '../faults.js';
import { connections } from '../fronts/mcp.js';
import { workspaceOf } from '../workspace.js';

interface Answer {
  readonly paths: readonly string[];
  readonly total: number;
  readonly truncated: boolean;
  readonly cursor: string | undefined;
}

/** A call in this thread. @param maxChars of a model's text; undefined for a program */
async function glob(
  directory: string,
  params: Params['glob'],
  { maxChars, progress = newProgress() }: { maxChars?: number; progress?: Progress } = {},
): Promise<Answer> {
  const workspace = workspaceOf(directory);
  workspace.root.refresh();
  const model = maxChars === undefined ? undefined : { filledIn: [], maxChars };
  try {
    const { result } = await globFiles(params, { workspace, progress, precondition: undefined, model, notices: [] });
    const files = valueOf(result.files) as { path: string }[];
    const { total, truncated, cursor } = result as Omit<Answer, 'paths'>;
    return { paths: files.map(({ path }) => path), total, truncated, cursor };
  } finally {
    workspace.close();
  }
}

/** The result, and what a model is told of what was left out. */
async function whole(
  directory: string,
  params: Params['glob'],
  allowed: readonly string[] = ['**'],
): Promise<[Record<string, unknown>, unknown]> {
  const workspace = workspaceOf(directory);
  workspace.root.refresh();
  const root = workspace.root.within(Scope.of({ token: allowed }));
  try {
    const context = {
      workspace: { ...workspace, root },
      progress: newProgress(),
      precondition: undefined,
      notices: [],
    };
    const { result, forModel } = await globFiles(params, context);
    return [result, forModel?.leftOut];
  } finally {
    workspace.close();
  }
}

function newProgress(): Progress {
  return new Progress(new Int32Array(new SharedArrayBuffer(4)), 0);
}

/** All pages in turn. */
async function pagesOf(directory: string, params: Params['glob'], maxChars?: number): Promise<Answer[]> {
  const pages: Answer[] = [];
  let cursor: string | undefined;
  do {
    const page = await glob(
      directory,
      { ...params, ...(cursor === undefined ? {} : { cursor }) },
      maxChars === undefined ? {} : { maxChars },
    );
    pages.push(page);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

describe('the pages of a search by name', () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`d${String(index % 3)}/${String(index)}😀`, '']),
  );

  for (const sort of ['path', 'modified'] as const) {
    it(`have each file once, in order, whatever their limit: by ${sort}`, () =>
      withDirectory(many, async (directory) => {
        for (const [index, path] of Object.keys(many).entries()) utimesSync(join(directory, path), 1, index % 7);
        const all = await glob(directory, { pattern: '*', sort });
        assert.equal(all.paths.length, 40);
        await fc.assert(
          fc.asyncProperty(fc.integer({ min: 1, max: 45 }), async (limit) => {
            const pages = await pagesOf(directory, { pattern: '*', sort, limit });
            assert.deepEqual(
              pages.flatMap(({ paths }) => paths),
              all.paths,
            );
            for (const [index, { paths, total, truncated }] of pages.entries()) {
              assert.equal(total, 40);
              assert.equal(truncated, index < pages.length - 1);
              if (truncated) assert.equal(paths.length, limit);
            }
          }),
          { numRuns: 15 },
        );
      }));
  }

  it('are cut for models to what a text may hold', () =>
    withDirectory({}, async (directory) => {
      const names = Array.from({ length: 200 }, (_, index) => `${String(1000 + index)}-${'n'.repeat(index)}`);
      for (const name of names) writeFileSync(join(directory, name), '');
      const pages = await pagesOf(directory, { pattern: '*' }, 1000);
      assert.deepEqual(
        pages.flatMap(({ paths }) => paths),
        names,
      );
      for (const { paths } of pages) assert.ok(paths.length === 1 || paths.join('\n').length < 1000);
      assert.equal((await pagesOf(directory, { pattern: '*' }, 0)).length, 1);
    }));

  it('end, as a model is told, with the cursor to go on', () =>
    withDirectory({}, async (directory) => {
      for (let index = 0; index < 100; index++) writeFileSync(join(directory, `${String(100 + index)}.txt`), '');
      const { client, end } = await connections['sdk 1.x over stdio'](directory, {
        toolset: 'search',
        mcpMaxChars: 1000,
      });
      try {
        const told: string[] = [];
        let args: Record<string, unknown> = { pattern: '*.txt' };
        for (;;) {
          const { content, structuredContent } = await client.callTool({ name: 'glob', arguments: args });
          const { text } = (content as [{ text: string }])[0];
          assert.ok(text.length <= 1000, String(text.length));
          const [, cursor] =
            /\n100 files\n\[Only \d+ of them are above\. Go on with cursor "([^"]+)"\.\]$/.exec(text) ?? [];
          assert.equal((structuredContent as Answer).cursor, cursor);
          told.push(...text.split('\n').filter((line) => line.endsWith('.txt')));
          if (cursor === undefined) break;
          args = { ...args, cursor };
        }
        assert.equal(told.length, 100);
        assert.equal(new Set(told).size, 100);
      } finally {
        await end();
      }
    }));
});

describe('what is wrong with a search by name', () => {
  it('is told by the rest of a glob that begins with the directory, as given or resolved', () =>
    withDirectory({ 'real/p/src/a.ts': 'x', 'real/p/b.ts': 'x' }, async (top) => {
      const [real, given] = [join(top, 'real', 'p'), join(top, 'given')];
      symlinkSync(real, given);
      const { client, end } = await connections['sdk 1.x over stdio'](given, { toolset: 'search' });
      const told = async (name: string, args: Record<string, unknown>): Promise<string> => {
        const { content, isError } = await client.callTool({ name, arguments: args });
        assert.equal(isError, true);
        return (content as [{ text: string }])[0].text;
      };
      try {
        for (const directory of [real, given]) {
          const sent: readonly (readonly [string, string, string])[] = [
            [`${directory}/src/*.ts`, '', 'src/*.ts'],
            [`!${directory}/src/**`, '', '!src/**'],
            [`${directory}/src/**/{a,b}.ts`, 'src', '**/{a,b}.ts'],
            [`${directory}/b.ts`, './src/', 'b.ts, without path'],
            [`${directory}/src/`, '', 'src/**'],
            [directory, '', '**'],
          ];
          for (const [pattern, path, relative] of sent) {
            const refusal = (parameter: string): string =>
              `Error: Invalid params: /${parameter} begins with the working directory\nA pattern is relative to path. Send ${relative}.`;
            assert.equal(await told('glob', { pattern, path }), refusal('pattern'));
            assert.equal(await told('grep', { pattern: 'x', glob: pattern, path }), refusal('glob'));
          }
        }
        assert.match(await told('glob', { pattern: `${real}x/*.ts` }), /begins with a slash\n.*relative to path/);
      } finally {
        await end();
      }
    }));

  it('is told by the path of what cannot be read', () =>
    withDirectory({ 'a.ts': '', 'closed/b.ts': '', 'd/closed/c.ts': '', 'e.ts': '' }, async (directory) => {
      instead('readdirSync', (call, path, ...more) => {
        if (basename(realpathSync(String(path))) === 'closed') throw systemError('EACCES');
        return call(path, ...more);
      });
      const [result, leftOut] = await whole(directory, { pattern: '*.ts' });
      assert.deepEqual([result['total'], result['skipped']], [2, { unreadable: 2 }]);
      assert.deepEqual(leftOut, [
        { path: 'closed', why: 'unreadable' },
        { path: 'd/closed', why: 'unreadable' },
      ]);
      const [elsewhere] = await whole(directory, { pattern: './*.ts' });
      assert.ok(!('skipped' in elsewhere), 'it was not asked for');
      const [narrowed, nothing] = await whole(directory, { pattern: '*.ts' }, ['**/*.ts', 'd/closed']);
      assert.deepEqual([narrowed['skipped'], nothing], [{ unreadable: 1 }, [{ path: 'd/closed', why: 'unreadable' }]]);
      mend();
    }));

  it('is told by the path of a file that cannot be looked at', () =>
    withDirectory({ 'a.ts': '', 'b.ts': '' }, async (directory) => {
      failing('lstatSync', 'EACCES', (path) => basename(String(path)) === 'b.ts');
      for (const sort of ['path', 'modified'] as const) {
        const [result] = await whole(directory, { pattern: '*.ts', sort });
        assert.deepEqual([result['total'], result['skipped']], [1, { unreadable: 1 }]);
      }
    }));

  it('is told to a model behind the number of files', () =>
    withDirectory({ 'a.ts': '' }, (directory) => {
      const success = {
        ok: true,
        result: { files: [{ path: 'a.ts' }], total: 1, truncated: false, skipped: { unreadable: 5 } },
        forModel: { leftOut: ['x', 'y\n', 'z'].map((path) => ({ path, why: 'unreadable' as const })) },
      } as const;
      const shown = (maxChars: number): string => {
        const limits = { lineBase: 1, names: 'unicode', maxChars, maxBytes: 10_000, textOnly: false } as const;
        const presented = globTool.present(success, { pattern: '*' }, limits);
        assert.ok(!('ok' in presented), directory);
        return String(JSON.parse(presented.text.map(String).join('')));
      };
      assert.equal(shown(0), 'a.ts\n1 file (left out: 5 not readable: x, y\\n, z and 2 more)');
      assert.equal(shown(50), 'a.ts\n1 file (left out: 5 not readable)');
    }));

  it('is looked for no longer than a second', () =>
    withDirectory(
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${String(index)}.TS`, ''])),
      async (directory) => {
        let now = performance.now();
        const original = performance.now.bind(performance);
        performance.now = () => (now += 100);
        try {
          const [{ note }] = await whole(directory, { pattern: '*.ts' });
          assert.match(String(note), /; at least \d files would match with other case, such as 0\.TS\.$/);
        } finally {
          performance.now = original;
        }
      },
    ));
});

describe('a search by name', () => {
  const files = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [`${String(index % 50)}/${String(index)}`, '']),
  );

  it('lets other work of its thread go on', () =>
    withDirectory(files, async (directory) => {
      let turns = 0;
      const timer = setInterval(() => turns++, 0);
      const { total } = await glob(directory, { pattern: '**', sort: 'modified' });
      clearInterval(timer);
      assert.equal(total, 2_000);
      assert.ok(turns > 0);
    }));

  it('ends when it is cancelled, as when its time is up', () =>
    withDirectory(files, async (directory) => {
      const progress = newProgress();
      let looks = 0;
      Object.defineProperty(progress, 'cancelled', { get: () => ++looks > 100 });
      await assert.rejects(glob(directory, { pattern: '**' }, { progress }), (error) => {
        return error instanceof OperationError && error.kind === 'cancelled';
      });
      assert.equal(looks, 101);
    }));
});
