/** Contract 6: after `kill -9` at any moment nothing acknowledged is lost and nothing is torn, locked or left over. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../fronts/server-process.js';
import { withDirectory } from '../directory.js';
import type { Client } from './client.js';
import { Ledger } from './ledger.js';
import { seeded, type Random } from './random.js';
import { lastingPort, startServer, temporaryFiles, type Server } from './server.js';
import { VersionedFile } from './versioned-file.js';

/** Every fifth server is killed while it starts as well; those kills are not counted. */
const kills = 50;
const clients = 4;
const log = 'events.log';

class Scene {
  readonly ledger = new Ledger();
  readonly versioned: readonly VersionedFile[];
  readonly readyMs: number[] = [];
  leftovers = 0;
  unanswered = 0;
  private authors = 0;

  constructor(
    readonly directory: string,
    private readonly random: Random,
  ) {
    this.versioned = ['a.txt', 'b.txt'].map((name) => new VersionedFile(directory, name));
  }

  /** @returns whether it was answered */
  async append(client: Client, line: string): Promise<boolean> {
    const reply = await client.call('edit_file', { name: log, append: line });
    if (reply.kind === 'done') this.ledger.acknowledge(line, reply.result['new_total_lines']);
    else if (reply.kind === 'unanswered') this.ledger.leaveOpen(line);
    else assert.fail(`${line}: ${reply.message}`);
    return reply.kind !== 'unanswered';
  }

  /** The first edit of each file goes through at once: no lock is left of those who died. */
  async editEachFile(client: Client, round: number): Promise<void> {
    assert.ok(await this.append(client, `round-${String(round)}`));
    for (const file of this.versioned) {
      const reply = await file.advance(client, this.author());
      assert.equal(reply.kind, 'done', JSON.stringify(reply));
    }
  }

  /** Edit until the server is gone. */
  async keepEditing(client: Client, name: string): Promise<void> {
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

  /** What is on the disk while no server runs. */
  check(): void {
    this.ledger.check(join(this.directory, log));
    this.ledger.settle(join(this.directory, log));
    for (const file of this.versioned) file.settle();
    assert.deepEqual(readdirSync(this.directory).sort(), ['.file-editor', 'a.txt', 'b.txt', log]);
    this.leftovers += temporaryFiles(this.directory).length;
  }

  /** Short, so that a failure can be read. */
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

describe('a server that is killed again and again', { timeout: 600_000 }, () => {
  it(`keeps its promises through ${String(kills)} kills at random moments`, (test) => {
    const start = { 'a.txt': VersionedFile.start(), 'b.txt': VersionedFile.start(), [log]: '' };
    return withDirectory(start, async (directory) => {
      const random = seeded(test);
      const scene = new Scene(directory, random);
      const port = await lastingPort();
      let server: Server | undefined;
      try {
        for (let round = 0; round < kills; round++) {
          if (round % 5 === 4) await killWhileStarting(directory, random);
          server = await startServer(round % 2 === 0 ? 'http' : 'stdio', directory, {}, port);
          assert.deepEqual(temporaryFiles(directory), [], 'a server that is ready has cleaned up');
          scene.readyMs.push(server.readyMs);
          await scene.editEachFile(server.connect(), round);
          const editing = Array.from({ length: clients }, (_, client) => {
            const connected = server?.connect();
            assert.ok(connected);
            return scene.keepEditing(connected, `round${String(round)}client${String(client)}`);
          });
          await sleep(random.between(1, 60));
          await server.kill();
          await Promise.all(editing);
          scene.check();
        }
      } finally {
        await server?.kill();
      }
      assert.equal(scene.unanswered, kills * clients, 'every kill came while all clients were editing');
      assert.ok(scene.leftovers > 0, 'some of the kills came in the middle of a write');
      test.diagnostic(
        `${String(scene.ledger.size)} appends, ${String(scene.leftovers)} temporary files left by kills, ` +
          `ready after ${String(Math.max(...scene.readyMs))} ms at most`,
      );
    });
  });
});
