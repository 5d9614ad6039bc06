/** What one large request takes above an idle server (contract 6), where the system tells it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forgetPeak, memoryMb, peakMemoryMb } from '../../bench/process-figures.js';
import { withDirectory } from '../directory.js';
import { startHttpServer } from '../fronts/server-process.js';

const line = `Line ${'.'.repeat(45)}\n`;
const text = line.repeat(190_000);
const bytes = Buffer.alloc(7_500_000, Uint8Array.of(0xff, 0x00, 0x80));

interface Request {
  readonly title: string;
  readonly operation: string;
  /** The same in small: a thread that has served it has loaded what it needs. */
  readonly small: object;
  readonly large: object;
  readonly status?: number;
  /** Far above what it takes, and below what it took when its text was in memory in all forms on its way. */
  readonly mostMb: number;
}

const created = (path: string, content: string, encoding: string): object => ({ path, content, encoding });
const edited = (path: string, old_string: string): object => ({
  path,
  edits: [{ old_string, new_string: 'Zeile', replace_all: true }],
});

const requests: readonly Request[] = [
  {
    title: 'a file that is created',
    operation: 'create',
    small: created('small', 'a', 'utf-8'),
    large: created('large', text, 'utf-8'),
    mostMb: 35,
  },
  {
    title: 'a file that is created from base64',
    operation: 'create',
    small: created('small', 'AAAA', 'base64'),
    large: created('large', bytes.toString('base64'), 'base64'),
    mostMb: 44,
  },
  {
    title: 'many matches',
    operation: 'apply_edits',
    small: edited('a.txt', 'Line'),
    large: edited('b.txt', 'Line'),
    mostMb: 56,
  },
  {
    title: 'a text that is not found',
    operation: 'apply_edits',
    small: edited('a.txt', 'Line'),
    large: edited('b.txt', 'Lines like this'),
    status: 400,
    mostMb: 24,
  },
];

describe('the memory of a request of 10 MB', { skip: process.platform !== 'linux' && 'no /proc' }, () => {
  for (const { title, operation, small, large, status = 200, mostMb } of requests) {
    it(`is bounded: ${title}`, () =>
      withDirectory({ 'a.txt': line.repeat(9), 'b.txt': text }, async (directory) => {
        const server = await startHttpServer(directory, { toolset: 'all', workers: 1 });
        const ask = (params: object): Promise<Response> =>
          fetch(`${server.url}/${operation}`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(params),
          });
        try {
          const { pid = 0 } = server.child;
          assert.equal((await ask(small)).status, 200);
          forgetPeak(pid);
          const idle = memoryMb(pid) ?? NaN;
          const answer = await ask(large);
          assert.equal(answer.status, status, await answer.text());
          const taken = (peakMemoryMb(pid) ?? NaN) - idle;
          assert.ok(taken < mostMb, `${taken.toFixed(1)} MB`);
        } finally {
          await server.stop();
        }
      }));
  }
});
