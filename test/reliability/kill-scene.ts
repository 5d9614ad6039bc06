/** Spec 6: after `kill -9` at any moment, no acknowledged edit is lost and nothing is torn, locked or left over. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../directory.js';
import { startProgram } from '../fronts/server-process.js';
import type { Client } from './client.js';
import { Ledger } from './ledger.js';
import type { Random } from './random.js';
import { lastingPort, startServer, temporaryFiles, type Server } from './server.js';
import { VersionedFile } from './versioned-file.js';

const clients = 4;
const log = 'events.log';

/** Results for servers killed at random moments while clients were editing. */
export interface Killed {
  /** Every fifth server is also killed during start-up; those kills are not counted. */
  readonly kills: number;
  readonly acknowledged: number;
  /** Temporary files of interrupted writes, which the next server removed. */
  readonly leftovers: number;
  /** The longest start-up, in milliseconds. */
  readonly readyMs: number;
}

/**
 * Kill servers of one directory repeatedly, and check the disk after each kill.
 * @throws AssertionError if a promise was broken
 */
export async function killAgainAndAgain(kills: number, random: Random): Promise<Killed> {
  const start = { 'a.txt': VersionedFile.start(), 'b.txt': VersionedFile.start(), [log]: '' };
  return withDirectory(start, async (directory) => {
    const scene = new KillScene(directory, random);
    const port = await lastingPort();
    for (let round = 0; round < kills; round++) {
      if (round % 5 === 4) await killWhileStarting(directory, random);
      await scene.editUntilKilled(await startServer(round % 2 === 0 ? 'http' : 'stdio', directory, {}, port), round);
      scene.check();
    }
    return scene.outcome(kills);
  });
}

class KillScene {
  private readonly ledger = new Ledger();
  private readonly versioned: readonly VersionedFile[];
  private readyMs = 0;
  private leftovers = 0;
  private unanswered = 0;
  private authors = 0;

  constructor(
    private readonly directory: string,
    private readonly random: Random,
  ) {
    this.versioned = ['a.txt', 'b.txt'].map((name) => new VersionedFile(directory, name));
  }

  async editUntilKilled(server: Server, round: number): Promise<void> {
    try {
      assert.deepEqual(temporaryFiles(this.directory), [], 'a server that is ready has cleaned up');
      this.readyMs = Math.max(this.readyMs, server.readyMs);
      await this.editEachFile(server.connect(), round);
      const editing = Array.from({ length: clients }, (_, client) =>
        this.keepEditing(server.connect(), `round${String(round)}client${String(client)}`),
      );
      await sleep(this.random.between(1, 60));
      await server.kill();
      await Promise.all(editing);
    } finally {
      await server.kill();
    }
  }

  /** The disk's content while no server runs. */
  check(): void {
    this.ledger.check(join(this.directory, log));
    this.ledger.settle(join(this.directory, log));
    for (const file of this.versioned) file.settle();
    assert.deepEqual(readdirSync(this.directory).sort(), ['.file-editor', 'a.txt', 'b.txt', log]);
    this.leftovers += temporaryFiles(this.directory).length;
  }

  outcome(kills: number): Killed {
    assert.equal(this.unanswered, kills * clients, 'every kill came while all clients were editing');
    return { kills, acknowledged: this.ledger.size, leftovers: this.leftovers, readyMs: this.readyMs };
  }

  /** @returns whether it was answered */
  private async append(client: Client, line: string): Promise<boolean> {
    const reply = await client.call('edit_file', { name: log, append: line });
    if (reply.kind === 'done') this.ledger.acknowledge(line, reply.result['new_total_lines']);
    else if (reply.kind === 'unanswered') this.ledger.leaveOpen(line);
    else assert.fail(`${line}: ${reply.message}`);
    return reply.kind !== 'unanswered';
  }

  /** The first edit of each file succeeds immediately: dead servers leave no locks. */
  private async editEachFile(client: Client, round: number): Promise<void> {
    assert.ok(await this.append(client, `round-${String(round)}`));
    for (const file of this.versioned) {
      const reply = await file.advance(client, this.author());
      assert.equal(reply.kind, 'done', JSON.stringify(reply));
    }
  }

  /** Edit until the server is gone. */
  private async keepEditing(client: Client, name: string): Promise<void> {
    for (let number = 0; ; number++) {
      if (this.random.between(0, 2) === 0) {
        if (await this.append(client, `${name}-${String(number)}`)) continue;
      } else {
        const reply = await this.random.pick(this.versioned).advance(client, this.author());
        if (reply.kind === 'refused') assert.match(reply.message, /^File '[ab]\.txt' has changed$/);
        if (reply.kind !== 'unanswered') continue;
      }
      this.unanswered++;
      return;
    }
  }

  /** Short, to keep failures readable. */
  private author(): string {
    return `w${String(++this.authors)}`;
  }
}

async function killWhileStarting(directory: string, random: Random): Promise<void> {
  const program = startProgram([`--dir=${directory}`, '--transport=stdio', '--log-level=silent']);
  const gone = new Promise((resolve) => program.child.once('exit', resolve));
  await sleep(random.between(0, 150));
  program.child.kill('SIGKILL');
  await gone;
}
