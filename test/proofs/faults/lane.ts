import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Reply } from '../../reliability/client.js';
import { startServer, temporaryFiles, type Server, type Transport } from '../../reliability/server.js';
import type { Point } from './points.js';
import { threadsBeside, trace, workerThread, type Injection, type SystemCall } from './strace.js';
import { putTree, treeOf, type Tree } from './tree.js';
import type { Call, WriteKind } from './write-kinds.js';

/** Beyond this age, a file's timestamps prove that it has not changed (src/core/file-identity.ts). */
const agedMs = 250;
/** A server ends a thread that was idle for 8 s. */
const idleMs = 4_000;
const patienceMs = 120_000;

/** Outcome of a kind's calls. */
export interface Ran {
  readonly replies: readonly Reply[];
  readonly calls: readonly SystemCall[];
  readonly worker: number;
  /** The server is gone. */
  readonly killed: boolean;
  /** New temporary files. */
  readonly leftovers: readonly string[];
}

/** Runs writes of one kind, each at its own place, in a directory with a server that is restarted when killed. */
export class Lane {
  private server: Server | undefined;
  private client: Client | undefined;
  private bystander: Server | undefined;
  private lastUsed = 0;
  private places = 0;
  private warmings: string[] = [];

  constructor(
    readonly kind: WriteKind,
    readonly directory: string,
    private readonly transport: Transport,
  ) {}

  /** Places prepared for the kind to run at. */
  async prepare(count: number): Promise<string[]> {
    const places = Array.from({ length: count }, () => this.newPlace('p'));
    this.warmings = Array.from({ length: count + 20 }, () => this.newPlace('w'));
    if (this.kind.isWhole === true) await this.writeBeside();
    await sleep(agedMs);
    return places;
  }

  private get history(): object {
    return this.kind.isRecorded === true ? { history: true } : {};
  }

  private newPlace(prefix: string): string {
    const at = `${prefix}${String(++this.places)}-`;
    putTree(this.directory, this.kind.before(at), this.kind.young);
    return at;
  }

  /** A server that has run the kind before, so measured runs do nothing for the first time. */
  async ready(): Promise<void> {
    if (performance.now() - this.lastUsed > idleMs) await this.close();
    if (this.server !== undefined) return;
    // Long enough for a busy machine, short enough to notice a lock that is never released.
    const options = { workers: 1, toolset: 'all', timeout: 20, ...this.history };
    // In the main thread, other calls of the system would come in between.
    const env = { FILE_EDITOR_FAST_PATH: 'never', ...(this.kind.isWhole === true ? { UV_THREADPOOL_SIZE: '1' } : {}) };
    this.server = await startServer(this.transport, this.directory, options, undefined, env);
    this.client = this.server.connect(8);
    assert.deepEqual(this.temporaryFiles, [], 'a server that is ready has removed all temporary files');
    const at = this.warmings.pop() ?? assert.fail('no place is left to warm a server up');
    // The worker is recognized among the threads by its bytes written.
    const much = { name: `warm-${at}.txt`, append: 'x'.repeat(200_000), create_if_missing: true };
    await this.succeed([{ operation: 'edit_file', params: much }]);
    await this.begin(at);
    await this.succeed(this.kind.calls(at));
  }

  /** Calls made at the place before the kind. */
  private async begin(at: string): Promise<void> {
    await this.succeed(this.kind.earlier?.(at) ?? []);
  }

  private async succeed(calls: readonly Call[]): Promise<void> {
    for (const reply of await this.send(calls)) assert.equal(reply.kind, 'done', JSON.stringify(reply));
  }

  /**
   * Run the kind at a place and trace its system calls.
   * @param injection `isBeside` into another thread than the worker
   * @param behindMs how long to trace after the answers, while the thread still closes files
   */
  async run(at: string, injection?: Injection & Pick<Point, 'isBeside'>, behindMs = 25): Promise<Ran> {
    await this.ready();
    await this.begin(at);
    const before = this.temporaryFiles;
    const pid = this.server?.process.child.pid ?? assert.fail('no server runs');
    const worker = workerThread(pid);
    const others = this.kind.isWhole === true ? threadsBeside(pid).filter((thread) => thread !== worker) : [];
    // Injections count the calls of each thread, so only one gets them.
    const threads = injection === undefined ? [worker, ...others] : injection.isBeside ? others : [worker];
    const watching = await trace(threads, injection);
    const replies = await this.send(this.kind.calls(at));
    await sleep(behindMs);
    const calls = await watching.end();
    const killed = replies.some(({ kind }) => kind === 'unanswered') || calls.at(-1)?.text.endsWith('= ?') === true;
    if (killed) await this.gone();
    return { replies, calls, worker, killed, leftovers: this.temporaryFiles.filter((name) => !before.includes(name)) };
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

  /** Another server of the directory, which runs all the time, writes a file of its own. */
  async writeBeside(): Promise<void> {
    this.bystander ??= await startServer('http', this.directory, { workers: 1, ...this.history });
    const client = this.bystander.connect();
    const reply = await client.call('edit_file', { name: 'beside.txt', append: 'x', create_if_missing: true });
    client.close();
    assert.equal(reply.kind, 'done', `a write of another server: ${JSON.stringify(reply)}`);
  }

  /** What the server has logged so far. */
  get log(): string {
    return this.server?.process.errors() ?? '';
  }

  get temporaryFiles(): string[] {
    return temporaryFiles(this.directory);
  }

  /** What is in the reserved directory beside lock files and the history. */
  get inReserved(): string[] {
    const expected = this.kind.isRecorded === true ? /\.lock$|^\.gitignore$|^history$/ : /\.lock$|^\.gitignore$/;
    return readdirSync(join(this.directory, '.file-editor')).filter((name) => !expected.test(name));
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

  async end(): Promise<void> {
    await this.close();
    await this.bystander?.kill();
  }
}
