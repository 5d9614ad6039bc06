/** Spec 6: one edit of a file at a time, across threads and server processes; no acknowledged edit is lost. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import type { Client, Reply } from './client.js';
import { Ledger } from './ledger.js';
import { seeded, type Random } from './random.js';
import { startServer, temporaryFiles, type Server } from './server.js';

const logs = ['first.log', 'second.log'];
/** Created by the first client to need it. */
const created = 'created.log';
const counters = 'counters.txt';
const counterLines = 3;
const agents = 12;
const appendsOfAnAgent = 16;
const countsOfAnAgent = 4;
/** Appends to one file that one client pipelines over stdio. */
const burst = 15;

/** The clients' combined knowledge. */
class Knowledge {
  readonly ledgers = new Map([...logs, created].map((name) => [name, new Ledger()]));
  readonly counts = Array.from({ length: counterLines }, () => 0);
  creations = 0;
  lockTimeouts = 0;

  ledger(name: string): Ledger {
    const ledger = this.ledgers.get(name);
    assert.ok(ledger);
    return ledger;
  }

  /** An append that should succeed; the only valid refusal is a lock timeout. */
  appended(name: string, line: string, reply: Reply): void {
    if (reply.kind === 'done') {
      this.ledger(name).acknowledge(line, reply.result['new_total_lines']);
      if (reply.result['file_created'] === true) this.creations++;
      return;
    }
    assert.ok(isLockTimeout(reply), JSON.stringify(reply));
    this.lockTimeouts++;
    this.ledger(name).refuse(line);
  }
}

function isLockTimeout(reply: Reply): boolean {
  if (reply.kind !== 'refused' || reply.message !== 'Failed to acquire file lock within timeout') return false;
  return reply.code === -32001 && (reply.status ?? 409) === 409;
}

async function append(client: Client, name: string, line: string, known: Knowledge): Promise<void> {
  known.appended(name, line, await client.call('edit_file', { name, append: line, create_if_missing: true }));
}

/** An append that must be refused for the given reason. */
async function appendInVain(
  client: Client,
  name: string,
  line: string,
  known: Knowledge,
  random: Random,
): Promise<void> {
  const outdated = random.between(0, 1) === 0;
  const wrong = outdated
    ? { expected_hash: '0123456789abcdef' }
    : { edits: [{ line: 9_999_999, operation: 'delete' }] };
  known.ledger(name).refuse(line);
  const reply = await client.call('edit_file', { name, append: line, ...wrong });
  assert.ok(reply.kind === 'refused', JSON.stringify(reply));
  if (isLockTimeout(reply)) return;
  assert.equal(reply.code, outdated ? -32001 : -32602);
  assert.equal(reply.status ?? (outdated ? 412 : 400), outdated ? 412 : 400);
  assert.equal(
    reply.message,
    outdated ? `File '${name}' has changed` : 'Line 9999999 out of range for delete operation',
  );
}

/** Increment a counter line against the version read, retrying until it was current. */
async function count(client: Client, index: number, known: Knowledge): Promise<void> {
  for (;;) {
    const read = await client.call('read_file', { name: counters, return_hash: true });
    assert.ok(read.kind === 'done', JSON.stringify(read));
    const { content, hash } = read.result;
    const value = Number(String(content).split('\n')[index]);
    const edits = [{ line: index + 1, operation: 'replace', content: String(value + 1) }];
    const reply = await client.call('edit_file', { name: counters, edits, expected_hash: hash });
    if (reply.kind === 'done') {
      known.counts[index] = (known.counts[index] ?? 0) + 1;
      return;
    }
    if (isLockTimeout(reply)) continue;
    assert.ok(reply.kind === 'refused' && reply.message === `File '${counters}' has changed`, JSON.stringify(reply));
    assert.equal(reply.status ?? 412, 412);
    assert.notEqual(reply.data['current_hash'], hash);
  }
}

/** Sequential calls, each over any of the servers: an answer holds on all of them. */
async function work(agent: number, clients: readonly Client[], known: Knowledge, random: Random): Promise<void> {
  const tasks = [
    ...Array.from({ length: appendsOfAnAgent }, () => 'append'),
    ...Array.from({ length: countsOfAnAgent }, () => 'count'),
  ];
  for (let number = 0; tasks.length > 0; number++) {
    const task = tasks.splice(random.between(0, tasks.length - 1), 1)[0];
    const client = random.pick(clients);
    const line = `agent${String(agent)}-${String(number)}`;
    if (task === 'count') await count(client, random.between(0, counterLines - 1), known);
    else if (number === 0) await append(client, created, line, known);
    else if (random.between(0, 9) === 0) await appendInVain(client, random.pick(logs), line, known, random);
    else await append(client, random.pick(logs), line, known);
  }
}

/** Everything pipelined over one stream: lines keep their order of arrival. */
async function pour(client: Client, name: string, known: Knowledge): Promise<void> {
  await Promise.all(Array.from({ length: burst }, (_, i) => append(client, name, `stream-${String(i)}`, known)));
}

async function check(directory: string, known: Knowledge): Promise<void> {
  for (const [name, ledger] of known.ledgers) ledger.check(join(directory, name));
  assert.equal(known.creations, 1, 'one client made the file, the others found it');
  assert.equal(
    readFileSync(join(directory, counters), 'utf8'),
    known.counts.map((value) => `${String(value)}\n`).join(''),
  );
  assert.equal(
    known.counts.reduce((sum, value) => sum + value),
    agents * countsOfAnAgent,
  );
  assert.deepEqual(temporaryFiles(directory), []);
  assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', counters, created, ...logs].sort());
}

describe('several server processes on one directory', { timeout: 600_000 }, () => {
  for (const processes of [2, 4]) {
    it(`keep every acknowledged edit exactly once: ${String(processes)} of them, one over stdio`, (test) => {
      const start = { [counters]: '0\n'.repeat(counterLines), ...Object.fromEntries(logs.map((name) => [name, ''])) };
      return withDirectory(start, async (directory) => {
        const random = seeded(test);
        const servers: Server[] = [];
        try {
          for (let i = 1; i < processes; i++) servers.push(await startServer('http', directory));
          const stdio = await startServer('stdio', directory);
          servers.push(stdio);
          const known = new Knowledge();
          await Promise.all([
            ...Array.from({ length: agents }, (_, agent) =>
              work(
                agent,
                servers.map((server) => server.connect()),
                known,
                random,
              ),
            ),
            ...logs.map((name) => pour(stdio.connect(), name, known)),
          ]);
          await check(directory, known);
          test.diagnostic(`${String(known.lockTimeouts)} edits waited in vain for their file`);
          for (const server of servers) assert.equal(await server.process.stop(), 0, server.process.errors());
        } finally {
          for (const server of servers) await server.kill();
        }
      });
    });
  }
});
