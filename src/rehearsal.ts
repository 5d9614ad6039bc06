/**
 * A rehearsal of the first calls of an agent, while it thinks: code that has not run yet takes 10 to 30 ms of the call
 * that meets it (`npm run bench -- --only="after 3 s"`). A second server without a front makes them in a temporary
 * directory, so nothing that is served is touched. It costs 4 MB.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Budget } from './call/budget.js';
import { CallPath } from './call/call.js';
import { ReadCache } from './call/read-cache.js';
import type { Config } from './config/config.js';
import { availableOperations } from './config/offer.js';
import { mostHeld } from './core/memory/held.js';
import { relativeTo } from './core/names/filename.js';
import type { OperationName, Params } from './core/operations.js';
import { Idle } from './observe/idle.js';
import { createLog } from './observe/log.js';
import { ThreadPool } from './pool/pool.js';
import { JsonRpc } from './protocols/json-rpc/json-rpc.js';

/** A client that has not called by then is thinking. */
const quietMs = 250;
/** Between two calls: whoever calls meanwhile waits for one of them at most. */
const pauseMs = 15;
/** Before the scratch directory goes. */
const tidyMs = 1_000;

const file = 'rehearsal.txt';
const text = Array.from({ length: 40 }, (_, line) => `line ${String(line)} of a rehearsal\n`).join('');

const changes = [{ path: file, edits: [{ old_string: 'line 5 of', new_string: 'line 6 of' }] }];

/** What agents call first, in steps as small as possible. */
const scenes: readonly { [Name in OperationName]: readonly [Name, Params[Name]] }[OperationName][] = [
  ['view', { path: '' }],
  ['view', { path: file }],
  ['view', { path: file, start_line: 3, end_line: 7 }],
  ['apply_changes', { changes, dry_run: true }],
  ['apply_changes', { changes }],
  ['grep', { pattern: 'of a' }],
  ['glob', { pattern: '*.txt' }],
  ['read_file', { name: file }],
  ['list_files', {}],
  ['apply_edits', { path: file, edits: [{ old_string: 'line 7 of', new_string: 'line 8 of' }] }],
];

/** At most one for each process. */
export class Rehearsal {
  private hasBegun = false;
  private isOver = false;
  /** The scratch directory. */
  private directory: string | undefined;

  constructor(private readonly config: Config) {}

  /** A client has come. Never throws. */
  begin(): void {
    if (this.hasBegun || relativeTo([this.config.directory], tmpdir()) !== undefined) return;
    this.hasBegun = true;
    // Without room for temporary files nothing is rehearsed, and nothing is lost.
    void this.run().catch(() => undefined);
  }

  /** A call has come: no further call is rehearsed. */
  end(): void {
    this.isOver = true;
  }

  /** The server ends. */
  close(): void {
    this.isOver = true;
    this.tidy();
  }

  private tidy(): void {
    try {
      if (this.directory !== undefined) rmSync(this.directory, { recursive: true, force: true });
    } catch {
      // The system removes temporary files, too.
    }
  }

  private async run(): Promise<void> {
    await pause(quietMs);
    if (this.isOver) return;
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'file-editor-')));
    this.directory = directory;
    writeFileSync(join(directory, file), text);
    const config: Config = { ...this.config, directory, givenDirectory: directory, durability: 'none' };
    const pool = new ThreadPool(config, createLog('silent'), new URL('../workers/main.cjs', import.meta.url), 'always');
    try {
      await this.perform(config, pool);
    } finally {
      // Cleaning up at once would delay the call that has come.
      await pause(tidyMs);
      await pool.shutDown();
      this.tidy();
    }
  }

  private async perform(config: Config, pool: ThreadPool): Promise<void> {
    const budget = new Budget(mostHeld(config.maxBytes));
    const idle = new Idle(() => undefined);
    const cache = new ReadCache(config.directory, 0);
    const { make: call } = new CallPath({ config, pool, cache, budget, idle, log: createLog('silent') });
    const protocol = new JsonRpc({ config, call, budget });
    const offered = availableOperations(config);
    for (const [name, params] of scenes.filter(([each]) => offered.has(each))) {
      await pause(pauseMs);
      if (this.isOver) break;
      const request = { jsonrpc: '2.0', id: name, method: 'tools/call', params: { name, arguments: params } };
      await protocol.answer(Buffer.from(JSON.stringify(request)));
    }
    idle.close();
  }
}

/** A process that has nothing else to do may end meanwhile. */
function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
