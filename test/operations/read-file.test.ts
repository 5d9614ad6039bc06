import assert from 'node:assert/strict';
import { appendFileSync, lstatSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Success } from '../../src/core/errors.js';
import { identityOf } from '../../src/core/file-identity.js';
import type { Params } from '../../src/core/operations.js';
import { KnownTexts } from '../../workers/operations/known-texts.js';
import { readFile } from '../../workers/operations/read.js';
import { Progress } from '../../workers/progress.js';
import { sourceOf } from '../../workers/text/chunks.js';
import { chunkSize } from '../../workers/text/kernel.js';
import { select } from '../../workers/text/lines/selection.js';
import { hashOf } from '../../workers/text/text-file.js';
import { withDirectory } from '../directory.js';
import { workspaceOf } from '../workspace.js';
import { refusal } from '../text/edit/specify.js';

interface Scene {
  readonly path: (name: string) => string;
  readonly read: (params: Params['read_file']) => Success;
}

async function withFiles(
  files: Record<string, string>,
  use: (scene: Scene) => void | Promise<void>,
  keepsReads = true,
): Promise<void> {
  await withDirectory(files, async (directory) => {
    const phases = new SharedArrayBuffer(4);
    const workspace = workspaceOf(directory, { readOnly: true, maxBytes: 2 ** 20, keepsReads, phases });
    workspace.root.refresh();
    const progress = new Progress(new Int32Array(phases), 0);
    const context = { workspace, progress, precondition: undefined, notices: [] };
    await use({ path: (name) => join(directory, name), read: (params) => readFile(params, context) });
  });
}

/** Wait until the time stamps of earlier writes are reliable (src/core/file-identity.ts). */
async function untilOld(...paths: readonly string[]): Promise<void> {
  for (const path of paths) utimesSync(path, 1e9, 1e9);
  await sleep(150);
}

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('the answer of a read', () => {
  it('is the JSON of its result, for any request', () =>
    withFiles({ 'a.txt': 'one\r\n"two"\rthree', empty: '' }, ({ read }) => {
      const answers: [Params['read_file'], object][] = [
        [{ name: 'a.txt' }, { content: 'one\n"two"\nthree', total_lines: 3 }],
        [
          { name: 'a.txt', end_line: 1 },
          { content: 'one', total_lines: 3, range_requested: { end_line: 1 } },
        ],
        [
          { name: 'a.txt', start_line: 2, end_line: Number.MAX_SAFE_INTEGER, return_hash: true },
          {
            content: '"two"\nthree',
            total_lines: 3,
            range_requested: { start_line: 2, end_line: Number.MAX_SAFE_INTEGER },
            hash: hashOf(Buffer.from('one\r\n"two"\rthree')),
          },
        ],
        [
          { name: 'empty', return_hash: true },
          { content: '', total_lines: 0, hash: hashOf(Buffer.alloc(0)) },
        ],
      ];
      for (const [params, expected] of answers) {
        const { json, result, hash } = read(params);
        assert.equal(Buffer.from(json ?? []).toString(), JSON.stringify(expected));
        const { content, ...rest } = result;
        assert.ok(content instanceof Uint8Array);
        const { content: text, total_lines } = JSON.parse(Buffer.from(json ?? []).toString()) as Record<
          string,
          unknown
        >;
        assert.deepEqual(
          { content: JSON.parse(Buffer.from(content).toString()) as unknown, ...rest },
          { content: text, total_lines },
        );
        assert.match(hash ?? '', /^[0-9a-f]{16}$/);
      }
    }));

  it('has the identity of a file that was read by its own name', () =>
    withFiles({ 'a.txt': 'text' }, async ({ path, read }) => {
      symlinkSync('a.txt', path('link'));
      assert.equal(read({ name: 'a.txt' }).identity, undefined, 'just written');
      await untilOld(path('a.txt'));
      assert.deepEqual(read({ name: 'a.txt' }).identity, identityOf(lstatSync(path('a.txt'), { bigint: true })));
      assert.equal(read({ name: 'link' }).identity, undefined);
    }));

  it('has none if no answer is cached', () =>
    withFiles(
      { 'a.txt': 'text' },
      async ({ path, read }) => {
        await untilOld(path('a.txt'));
        assert.equal(read({ name: 'a.txt' }).identity, undefined);
      },
      false,
    ));
});

describe('a window into a large file', () => {
  const content = ({ result }: Success): unknown => JSON.parse(Buffer.from(result.content as Uint8Array).toString());

  it('shows the current file, whatever was known about it', () =>
    withFiles({ 'a.txt': numbered(50_000), 'b.txt': 'x\n'.repeat(100_000) }, async ({ path, read }) => {
      const window = { name: 'a.txt', start_line: 40_000, end_line: 40_001 };
      await untilOld(path('a.txt'), path('b.txt'));
      // The first read gathers the facts, the second uses them.
      for (let look = 0; look < 2; look++) assert.equal(content(read(window)), 'line 40000\nline 40001');

      appendFileSync(path('a.txt'), 'more\n');
      assert.equal(read(window).result.total_lines, 50_001);
      writeFileSync(path('a.txt'), `first\n${numbered(50_000)}`);
      for (let look = 0; look < 2; look++) assert.equal(content(read(window)), 'line 39999\nline 40000');
      await untilOld(path('a.txt'));
      for (let look = 0; look < 2; look++) assert.equal(content(read(window)), 'line 39999\nline 40000');

      renameSync(path('b.txt'), path('a.txt'));
      for (let look = 0; look < 2; look++) assert.equal(content(read(window)), 'x\nx');
    }));

  it('is refused as at the first read: past the end, or too large by now', () =>
    withFiles({ 'a.txt': numbered(50_000) }, async ({ path, read }) => {
      await untilOld(path('a.txt'));
      for (let look = 0; look < 2; look++) {
        assert.equal(
          refusal(() => read({ name: 'a.txt', start_line: 50_001 })).message,
          'Start line 50001 exceeds file length 50000',
        );
        assert.equal(content(read({ name: 'a.txt', start_line: 50_000, end_line: 60_000 })), 'line 50000');
      }
      appendFileSync(path('a.txt'), 'x'.repeat(2 ** 20));
      assert.equal(refusal(() => read({ name: 'a.txt', end_line: 1 })).failure.kind, 'too_large');
    }));
});

describe('facts about texts', () => {
  const text = Buffer.from('x\n'.repeat(chunkSize));
  const wanted = { startLine: undefined, endLine: undefined, check: () => undefined, tail: () => '"}' };
  const { facts } = select(sourceOf(text), text.length, wanted);
  const identity = (ino: bigint, ctimeNs = 1n) => ({ dev: 1n, ino, size: 5n, mtimeNs: 1n, ctimeNs });

  it('are known for exactly the version that was read', () => {
    const known = new KnownTexts(10_000);
    known.keep(identity(1n), facts);
    assert.equal(known.find(identity(1n)), facts);
    assert.equal(known.find(identity(1n, 2n)), undefined);
    assert.equal(known.find({ ...identity(1n), dev: 2n }), undefined);
    assert.equal(known.find(identity(2n)), undefined);
    known.keep(identity(1n, 2n), facts);
    assert.equal(known.find(identity(1n)), undefined);
    assert.equal(known.find(identity(1n, 2n)), facts);
  });

  it('are evicted when there are too many, least recently used first', () => {
    const known = new KnownTexts(10_000);
    known.keep(identity(0n), facts);
    for (let ino = 1n; ino < 100n; ino++) {
      known.keep(identity(ino), facts);
      assert.equal(known.find(identity(0n)), facts);
    }
    assert.equal(known.find(identity(1n)), undefined);
    assert.equal(known.find(identity(99n)), facts);
    const kept = Array.from({ length: 100 }, (_, ino) => known.find(identity(BigInt(ino)))).filter(Boolean);
    assert.ok(kept.length > 10 && kept.length < 25, `${kept.length} were kept`);
  });
});
