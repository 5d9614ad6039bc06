import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Reply } from '../../reliability/client.js';
import { startServer, temporaryFiles, type Server, type Transport } from '../../reliability/server.js';
import { trace, workerThread, type Injection, type SystemCall } from './strace.js';
import { treeOf, type Tree } from './tree.js';
import type { Call, WriteKind } from './write-kinds.js';

/** Older than this, the time stamps of a file prove that it has not changed (src/core/file-identity.ts). */
const agedMs = 250;
/** A server gives its thread back after 8 s in which it was not used. */
const idleMs = 4_000;
const patienceMs = 120_000;
const future = new Date('2100-01-01T00:00:00.5Z');

/** What came of the calls of a kind. */
export interface Ran {
  readonly replies: readonly Reply[];
  readonly calls: readonly SystemCall[];
  /** The server is gone. */
  readonly killed: boolean;
  /** Temporary files that were not there before. */
  readonly leftovers: readonly string[];
}

/** Runs writes of one kind, each at a place of its own, in a directory with a server that is started again when it is killed. */
export class Lane {
  private server: Server | undefined;
  private client: Client | undefined;
  private lastUsed = 0;
  private places = 0;
  private warmings: string[] = [];

  constructor(
    readonly kind: WriteKind,
    readonly directory: string,
    private readonly transport: Transport,
  ) {}

  /** Places at which the kind can be run, where everything is as before it. */
  async prepare(count: number): Promise<string[]> {
    const places = Array.from({ length: count }, () => this.newPlace('p'));
    this.warmings = Array.from({ length: count + 20 }, () => this.newPlace('w'));
    await sleep(agedMs);
    return places;
  }

  private newPlace(prefix: string): string {
    const at = `${prefix}${String(++this.places)}-`;
    for (const [path, content] of Object.entries(this.kind.before(at))) this.put(join(this.directory, path), content);
    return at;
  }

  private put(path: string, content: string | null): void {
    mkdirSync(content === null ? path : dirname(path), { recursive: true });
    if (content === null) return;
    if (content.startsWith('-> ')) {
      symlinkSync(content.slice(3), path);
      return;
    }
    writeFileSync(path, content);
    if (this.kind.young) utimesSync(path, future, future);
  }

  /** A server that has run the kind before, so that nothing is done for the first time when it counts. */
  async ready(): Promise<void> {
    if (performance.now() - this.lastUsed > idleMs) await this.close();
    if (this.server !== undefined) return;
    // Long enough for a busy machine, short enough to notice a lock that is held for ever.
    const options = { workers: 1, toolset: 'all', timeout: 20 };
    this.server = await startServer(this.transport, this.directory, options);
    this.client = this.server.connect(8);
    assert.deepEqual(this.temporaryFiles, [], 'a server that is ready has removed all temporary files');
    const at = this.warmings.pop() ?? assert.fail('no place is left to warm a server up');
    // By what it has written the worker is told from other threads.
    const much = { name: `warm-${at}.txt`, append: 'x'.repeat(200_000), create_if_missing: true };
    await this.succeed([{ operation: 'edit_file', params: much }]);
    await this.begin(at);
    await this.succeed(this.kind.calls(at));
  }

  /** What is called before a kind, at its place. */
  private async begin(at: string): Promise<void> {
    await this.succeed(this.kind.earlier?.(at) ?? []);
  }

  private async succeed(calls: readonly Call[]): Promise<void> {
    for (const reply of await this.send(calls)) assert.equal(reply.kind, 'done', JSON.stringify(reply));
  }

  /**
   * Run the kind at a place while its system calls are watched.
   * @param behindMs how long the thread is watched behind its answers, when it still closes files
   */
  async run(at: string, injection?: Injection, behindMs = 25): Promise<Ran> {
    await this.ready();
    await this.begin(at);
    const before = this.temporaryFiles;
    const pid = this.server?.process.child.pid ?? assert.fail('no server runs');
    const watching = await trace(workerThread(pid), injection);
    const replies = await this.send(this.kind.calls(at));
    await sleep(behindMs);
    const calls = await watching.end();
    const killed = replies.some(({ kind }) => kind === 'unanswered') || calls.at(-1)?.text.endsWith('= ?') === true;
    if (killed) await this.gone();
    return { replies, calls, killed, leftovers: this.temporaryFiles.filter((name) => !before.includes(name)) };
  }

  private async gone(): Promise<void> {
    const child = this.server?.process.child;
    if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');
    this.server = undefined;
  }

  /** @throws Error if an answer takes longer than any time limit of the server allows */
  async send(calls: readonly Call[]): Promise<Reply[]> {
    const client = this.client ?? assert.fail('no server runs');
    this.lastUsed = performance.now();
    const replies = await Promise.race([
      Promise.all(calls.map(({ operation, params }) => client.call(operation, params))),
      sleep(patienceMs, undefined, { ref: false }),
    ]);
    if (replies !== undefined) return replies;
    await this.close();
    throw new Error('no answer');
  }

  /** What the server has logged so far. */
  get log(): string {
    return this.server?.process.errors() ?? '';
  }

  get temporaryFiles(): string[] {
    return temporaryFiles(this.directory);
  }

  tree(at: string): Tree {
    return treeOf(this.directory, at);
  }

  /** Nothing is left over after a start. */
  async restart(): Promise<void> {
    await this.close();
    await this.ready();
  }

  async close(): Promise<void> {
    await this.server?.kill();
    this.server = undefined;
  }
}
