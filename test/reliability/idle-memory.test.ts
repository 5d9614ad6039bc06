/** What an idle server keeps of the bodies of its last calls, if those took long (contract 1.1), on systems that tell. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryMb } from '../../bench/process-figures.js';
import { withDirectory } from '../directory.js';
import { startHttpServer } from '../fronts/server-process.js';
import { withHolder } from './lock-holder.js';

const timeoutSeconds = 4;
/** The server is idle after 8 s, and collects what is garbage in the two that follow. */
const restMs = 12_000;

describe('an idle server', { skip: process.platform !== 'linux' && 'no /proc' }, () => {
  it('keeps nothing of large bodies whose calls waited for a lock until their time was up', () =>
    withDirectory({ 'a.txt': 'a\n' }, (directory) =>
      withHolder(directory, async () => {
        const server = await startHttpServer(directory, { timeout: timeoutSeconds });
        const append = async (text: string): Promise<number> => {
          const answer = await fetch(`${server.url}/edit_file`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ name: 'a.txt', append: text }),
          });
          await answer.arrayBuffer();
          return answer.status;
        };
        try {
          const { pid = 0 } = server.child;
          const fresh = memoryMb(pid) ?? NaN;
          const text = 'line of text\n'.repeat(700_000);
          const statuses = await Promise.all(Array.from({ length: 12 }, () => append(text)));
          assert.deepEqual([...new Set(statuses)], [409]);
          await sleep(restMs);
          const more = (memoryMb(pid) ?? NaN) - fresh;
          // 13; 107 where the memory of bodies was given back after garbage was collected.
          assert.ok(more < 70, `${more.toFixed(1)} MB`);
        } finally {
          await server.stop();
        }
      }),
    ));
});
