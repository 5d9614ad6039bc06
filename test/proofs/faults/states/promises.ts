/** What a server promises of the files that it finds after a loss of power, once it has started (spec 6, 14 and 18). */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationName, Params } from '../../../../src/core/operations.js';
import type { WorkerSetup } from '../../../../src/core/thread/task.js';
import { whenToSweep } from '../../../../src/pool/leftovers.js';
import { Tasks } from '../../../../workers/tasks.js';
import { isRecord } from '../../../reliability/client.js';
import { setupOf } from '../../../workspace.js';
import { effectsIn, possibleEffects } from '../effects.js';
import { sameTree, treeOf, withoutLitter } from '../tree.js';
import type { WriteKind } from '../write-kinds.js';

export type History = WorkerSetup['history'];

interface Found {
  readonly directory: string;
  /** Common prefix of the files. */
  readonly at: string;
  /** The calls that were answered before the power was lost. */
  readonly answered: number;
  /** What the server keeps; undefined without --history. */
  readonly history: History;
}

/** @throws AssertionError if a promise is broken */
export async function assertPromises(kind: WriteKind, found: Found): Promise<void> {
  const { directory, at, answered, history } = found;
  const server = new Start(directory, history);
  try {
    server.start();
    assertTidy(directory);
    const tree = treeOf(directory, at);
    const calls = kind.calls(at).map(() => undefined);
    const possible = possibleEffects(calls).filter((done) => countOf(done) >= answered);
    const done = effectsIn(kind, at, tree, possible, kind.isWhole !== true);
    assert.ok(done, `the files are ${shown(tree)}`);
    if (history === undefined) return;
    const ids = await recordedBy(kind, found, server);
    const made = countOf(done);
    assert.ok(ids.length <= made, `${String(ids.length)} changes are recorded, ${String(made)} made`);
    const isPromised = kind.isWhole === true || answered > 0;
    if (isPromised) assert.equal(ids.length, made, 'every change that is made is recorded');
    if (ids.length < made || ids.length === 0) return;
    await server.call('undo', { changes: ids });
    const undone = withoutLitter(treeOf(directory, at));
    const before = kind.after(
      at,
      done.map(() => false),
    );
    assert.ok(sameTree(undone, withoutLitter(before)), `after the undo, the files are ${shown(undone)}`);
    assertTidy(directory);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)} (${server.told})`, { cause: error });
  } finally {
    server.close();
  }
}

function countOf(done: readonly boolean[]): number {
  return done.filter(Boolean).length;
}

function shown(tree: Readonly<Record<string, string | null>>): string {
  return JSON.stringify(tree, (_, text: unknown) => (typeof text === 'string' ? text.slice(0, 40) : text));
}

/** The ids of the records of the kind's calls, newest first; of the same files, those of the calls before are older. */
async function recordedBy(kind: WriteKind, { at, history }: Found, server: Start): Promise<string[]> {
  assert.ok(history);
  const { changes } = await server.call('history', { limit: 100 });
  assert.ok(Array.isArray(changes));
  const ours = changes
    .filter(isRecord)
    .filter(({ files }) => Array.isArray(files) && files.every((file) => isRecord(file) && isAt(file['path'], at)))
    .map(({ id }) => String(id));
  return ours.slice(0, ours.length - (kind.earlier?.(at).length ?? 0));
}

function isAt(path: unknown, at: string): boolean {
  return typeof path === 'string' && path.startsWith(at);
}

/** In the reserved directory are only locks, and what is kept. */
function assertTidy(directory: string): void {
  const reserved = join(directory, '.file-editor');
  const left = existsSync(reserved) ? readdirSync(reserved) : [];
  assert.deepEqual(
    left.filter((name) => !/\.lock$|^\.gitignore$|^history$/.test(name)),
    [],
    'nothing is left over',
  );
}

/** A server that starts. */
class Start {
  readonly #tasks: Tasks;
  /** What it has logged. */
  told = '';

  constructor(
    private readonly directory: string,
    private readonly history: History,
  ) {
    const setup = { durability: 'full', phases: new SharedArrayBuffer(64), sharesThread: true } as const;
    this.#tasks = new Tasks(setupOf(directory, { ...setup, ...(history && { history }) }));
  }

  start(): void {
    if (whenToSweep(this.directory, this.history !== undefined) === undefined) return;
    const [swept] = this.#tasks.sweep();
    assert.equal(swept?.ok, true, JSON.stringify(swept));
    this.told = (swept.notices ?? []).map(({ message }) => message).join('; ');
  }

  async call<Name extends OperationName>(
    operation: Name,
    params: Params[Name],
  ): Promise<Readonly<Record<string, unknown>>> {
    const [answer] = await this.#tasks.run({ operation, calls: [{ params, slot: 0 }] });
    assert.ok(answer?.ok === true, `${operation}: ${JSON.stringify(answer)}`);
    assert.ok(isRecord(answer.result));
    return answer.result;
  }

  close(): void {
    this.#tasks.close();
  }
}
