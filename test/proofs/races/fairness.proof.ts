/** Spec 14: a change of many files gets its turn, however busy other servers keep each of these files. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withDirectory } from '../../directory.js';
import type { Client } from '../../reliability/client.js';
import { startServer } from '../../reliability/server.js';

const files = Array.from({ length: 20 }, (_, i) => `d/${String(i)}.txt`);
const editors = 4;
const editsAtOnce = 4;
const sets = 20;
/** On this many waits, many times what is measured: beyond it, the change is starved. */
const starvedMs = 10_000;

it('a change of 20 files beside 4 servers that edit them without a pause', { timeout: 300_000 }, async (test) => {
  const content = Object.fromEntries(files.map((path) => [path, 'first\nsecond\n']));
  await withDirectory(content, async (directory) => {
    const servers = await Promise.all(
      Array.from({ length: editors + 1 }, () => startServer('http', directory, { toolset: 'all' })),
    );
    try {
      const [own, ...others] = servers.map((server) => server.connect(editsAtOnce));
      let isOver = false;
      const editing = others.flatMap((client) =>
        Array.from({ length: editsAtOnce }, async (_, lane) => {
          const took: number[] = [];
          for (let i = lane; !isOver; i++) {
            const path = files[(i * 7) % files.length] ?? '';
            const edits = [{ at: 'end', new_string: 'x\n' }];
            took.push(await timed(client, 'apply_edits', { path, edits }));
          }
          return took;
        }),
      );
      const changing: number[] = [];
      for (let i = 0; i < sets; i++) {
        const changes = files.map((path) => ({ path, content: `first\n${String(i)}\n`, expected_hash: '*' }));
        changing.push(await timed(own, 'apply_changes', { changes }));
      }
      isOver = true;
      const single = (await Promise.all(editing)).flat();
      test.diagnostic(`a change of 20 files waited ${shown(changing)}; an edit of one ${shown(single)}`);
      assert.ok(Math.max(...changing) < starvedMs, shown(changing));
    } finally {
      await Promise.all(servers.map((server) => server.kill()));
    }
  });
});

async function timed(client: Client | undefined, operation: string, params: unknown): Promise<number> {
  const began = performance.now();
  const reply = await client?.call(operation, params);
  assert.equal(reply?.kind, 'done', JSON.stringify(reply));
  return performance.now() - began;
}

function shown(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => String(Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0));
  return `${at(0.5)} ms (p50), ${at(0.99)} (p99), ${at(1)} at most, of ${String(times.length)}`;
}
