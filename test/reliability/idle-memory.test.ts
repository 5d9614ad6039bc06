/**
 * Memory that an idle server keeps of its last calls' bodies if those calls took long (spec 1.1), where the system
 * reports it.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryMb } from '../../bench/process-figures.js';
import { withDirectory } from '../directory.js';
import { startHttpServer } from '../fronts/server-process.js';
import { withHolder } from './lock-holder.js';

const timeoutSeconds = 4;
/** The server is idle after 8 s, and collects garbage within the next two. */
const restMs = 12_000;

/** The allocator sometimes keeps more: 78 MB once, on Node 24 alongside other tests. */
const mostAttempts = 3;

const text = 'line of text\n'.repeat(700_000);

/** @returns growth in MB from before twelve such calls until the server has been idle */
async function keptBy(directory: string): Promise<number> {
  const server = await startHttpServer(directory, { timeout: timeoutSeconds });
  const append = async (): Promise<number> => {
    const answer = await server.post('/edit_file', { name: 'a.txt', append: text });
    await answer.arrayBuffer();
    return answer.status;
  };
  try {
    const { pid = 0 } = server.child;
    const fresh = memoryMb(pid) ?? NaN;
    const statuses = await Promise.all(Array.from({ length: 12 }, append));
    assert.deepEqual([...new Set(statuses)], [409]);
    await sleep(restMs);
    return (memoryMb(pid) ?? NaN) - fresh;
  } finally {
    await server.stop();
  }
}

describe('an idle server', { skip: process.platform !== 'linux' && 'no /proc' }, () => {
  it('retains nothing of large bodies whose calls timed out waiting for a lock', () =>
    withDirectory({ 'a.txt': 'a\n' }, (directory) =>
      withHolder(directory, async () => {
        let kept = await keptBy(directory);
        // 13, and 30 to 50 with node:http; a constant 107 when bodies were released only after garbage collection.
        for (let attempts = 1; kept >= 70 && attempts < mostAttempts; attempts++) kept = await keptBy(directory);
        assert.ok(kept < 70, `${kept.toFixed(1)} MB`);
      }),
    ));
});
