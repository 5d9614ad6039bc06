/** A pool whose threads die on demand. Loading this file limits the heap of every thread that is started later. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { configFromOptions } from '../../src/config/config.js';
import type { Options } from '../../src/config/arguments.js';
import type { Outcome } from '../../src/core/errors.js';
import { createLog, type Log } from '../../src/observe/log.js';
import { rows, type OperationName, type Params } from '../../src/core/operations.js';
import { ThreadPool } from '../../src/pool/pool.js';
import { Reserved } from '../../workers/disk/lock/reserved.js';
import { Root } from '../../workers/disk/paths/root.js';
import { eventually } from './server.js';

/** The pool as the fronts set it up. */
export type Call = <Name extends OperationName>(
  operation: Name,
  params: Params[Name],
  signal?: AbortSignal,
) => Promise<Outcome>;

const dyingWorker = new URL('fixtures/dying-worker.mjs', import.meta.url);

// Applies to threads started from now on: they must not take gigabytes before they die.
setFlagsFromString('--max-old-space-size=32');

const deaths = mkdtempSync(join(tmpdir(), 'file-editor-deaths-'));
process.env['DEATHS'] = deaths;
after(() => {
  rmSync(deaths, { recursive: true });
  // A thread that cannot be terminated has failed its test; it must not keep this process alive as well.
  setTimeout(() => process.exit(1), 20_000).unref();
});
process.on('exit', () => process.exit());

export type Way = 'exit' | 'throw' | 'later' | 'heap';
export type Moment = 'open' | 'apply' | 'temporary' | 'sync' | 'rename' | 'renamed' | 'start';

/** The thread that reaches this moment of its work on the file dies; so do the next `times` - 1 threads. */
export function arrange(file: string, way: Way, moment: Moment, times = 1): void {
  for (let i = 0; i < times; i++) writeFileSync(join(deaths, `${file}.${way}-at-${moment}.${String(i)}`), '');
}

/** Whether a scheduled death is still due. */
export function isDue(file: string, way: Way, moment: Moment): boolean {
  return readdirSync(deaths).some((death) => death.startsWith(`${file}.${way}-at-${moment}.`));
}

/** Lend a pool with threads that die on demand, and a holder that takes locks as another server would. */
export async function withPool(
  directory: string,
  workers: number,
  use: (call: Call, other: Reserved) => Promise<void>,
  options: Options = {},
  log: Log = createLog('silent'),
): Promise<void> {
  const root = new Root(directory);
  root.refresh();
  const other = new Reserved(root);
  other.open([]);
  const before = openFilesBelow(directory);
  const config = configFromOptions({ dir: directory, workers, logLevel: 'silent', ...options });
  const pool = new ThreadPool(config, log, dyingWorker, 'never');
  try {
    await use((name, params, signal) => {
      const operation = rows[name];
      return pool.run(operation, params, signal === undefined ? {} : { signal });
    }, other);
    assert.deepEqual(readdirSync(deaths), [], 'every death that was arranged has come');
  } finally {
    await pool.shutDown();
    for (const name of readdirSync(deaths)) rmSync(join(deaths, name));
  }
  assert.ok(await eventually(() => openFilesBelow(directory).length === before.length), 'nothing is left open');
}

function openFilesBelow(directory: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(directory) ? [path] : [];
    } catch {
      return [];
    }
  });
}
