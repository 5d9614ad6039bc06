/** What a server rehearses while its client thinks: seen in the directory for temporary files. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from './directory.js';
import { startProgram } from './fronts/server-process.js';
import { isRecord } from './reliability/client.js';
import { eventually } from './reliability/server.js';

interface Trial {
  readonly directory: string;
  /** Where the server rehearses. */
  readonly scratch: string;
  /** Send requests, all at once. Resolves when the last one is answered. */
  readonly ask: (...requests: readonly object[]) => Promise<void>;
  /** Whether a directory has appeared there. */
  readonly hasRehearsed: () => boolean;
  /** End the input. Resolves when the server has ended. */
  readonly end: () => Promise<void>;
}

const clientInfo = { name: 'test', version: '1' };
const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
};
const view = { method: 'tools/call', params: { name: 'view', arguments: { path: '' } } };

async function withServer(use: (trial: Trial) => Promise<void>, scratchPath = '../tmp'): Promise<void> {
  await withDirectory({ 'served/a.txt': 'a\n', 'tmp/.keep': '' }, async (both) => {
    const directory = join(both, 'served');
    const scratch = join(directory, scratchPath);
    mkdirSync(scratch, { recursive: true });
    const seen: string[] = [];
    const watcher = watch(scratch, (_, name) => {
      if (name?.startsWith('file-editor-') === true) seen.push(name);
    });
    const args = [`--dir=${directory}`, '--transport=stdio', '--toolset=all', '--log-level=error'];
    const server = startProgram(args, { env: { TMPDIR: scratch, TEMP: scratch, TMP: scratch } });
    const ended = once(server.child, 'exit');
    let id = 0;
    try {
      await use({
        directory,
        scratch,
        ask: async (...requests) => {
          const lines = requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', id: ++id, ...request })}\n`);
          const last = id;
          const answered = new Promise<void>((resolve) => {
            server.lines.on('line', (line) => {
              const answer: unknown = JSON.parse(line);
              if (isRecord(answer) && answer['id'] === last) resolve();
            });
          });
          server.stdin.write(lines.join(''));
          await answered;
        },
        hasRehearsed: () => seen.length > 0,
        end: async () => {
          server.stdin.end();
          await ended;
        },
      });
      assert.equal(server.errors(), '');
    } finally {
      watcher.close();
      server.child.kill('SIGKILL');
      await ended;
    }
  });
}

const isEmpty = (scratch: string): boolean => readdirSync(scratch).every((name) => name === '.keep');

describe('a rehearsal', () => {
  it('follows initialize, and leaves nothing, neither there nor where files are served', () =>
    withServer(async ({ directory, scratch, ask, hasRehearsed }) => {
      await ask(initialize);
      assert.ok(await eventually(hasRehearsed));
      assert.ok(await eventually(() => isEmpty(scratch)));
      assert.deepEqual(readdirSync(directory), ['a.txt']);
      await ask(view);
    }));

  it('is skipped if a client calls at once', () =>
    withServer(async ({ ask, hasRehearsed, end }) => {
      await ask(initialize, view);
      await sleep(600);
      assert.equal(hasRehearsed(), false);
      await end();
    }));

  it('gives way to a call, and to the end of the server', () =>
    withServer(async ({ scratch, ask, hasRehearsed, end }) => {
      await ask(initialize);
      assert.ok(await eventually(hasRehearsed));
      await ask(view);
      await end();
      assert.ok(isEmpty(scratch));
    }));

  it('does not happen among the files that are served', () =>
    withServer(async ({ directory, ask, hasRehearsed }) => {
      await ask(initialize);
      await sleep(600);
      assert.equal(hasRehearsed(), false);
      assert.deepEqual(readdirSync(directory).sort(), ['a.txt', 'tmp']);
    }, 'tmp'));
});
