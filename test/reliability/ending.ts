/** Servers that are stopped while clients append to four files, and the outcome of each append. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../directory.js';
import type { Client, Reply } from './client.js';
import { Ledger } from './ledger.js';
import { temporaryFiles, withServer, type Server, type Transport } from './server.js';

const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];

/** Generous: spec 1.1 promises 2 s. */
const endMs = 60_000;

/** @returns the exit code, or the signal that ended it */
export async function ending(child: ChildProcess): Promise<number | string> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = await Promise.race([once(child, 'exit'), sleep(endMs, undefined, { ref: false })]);
    if (ended === undefined) return 'still running';
  }
  return child.exitCode ?? child.signalCode ?? 'unknown';
}

/** Appends whose answers are checked against the files once the server has exited. */
export class Appends {
  private readonly ledgers = new Map(names.map((name) => [name, new Ledger()]));
  acknowledged = 0;
  refused = 0;

  /** @returns the reply to each, when it comes */
  send(client: Client, count: number): Promise<Reply>[] {
    return Array.from({ length: count }, async (_, i) => {
      const name = names[i % names.length] ?? '';
      const line = `sent-${String(i)}`;
      const reply = await client.call('edit_file', { name, append: line });
      this.record(name, line, reply);
      return reply;
    });
  }

  check(directory: string): void {
    for (const [name, ledger] of this.ledgers) ledger.check(join(directory, name));
    assert.deepEqual(temporaryFiles(directory), []);
  }

  private record(name: string, line: string, reply: Reply): void {
    const ledger = this.ledgers.get(name);
    assert.ok(ledger);
    if (reply.kind === 'done') {
      this.acknowledged++;
      ledger.acknowledge(line, reply.result['new_total_lines']);
    } else if (reply.kind === 'refused') {
      this.refused++;
      assert.deepEqual([reply.code, reply.message, reply.status ?? 503], [-32000, 'Server is shutting down', 503]);
      ledger.refuse(line);
    } else {
      ledger.leaveOpen(line);
    }
  }
}

/** Lend a server with four empty files. */
export function withEmptyFiles(
  transport: Transport,
  options: Readonly<Record<string, unknown>>,
  use: (server: Server, directory: string) => Promise<void>,
): Promise<void> {
  const files = Object.fromEntries(names.map((name) => [name, '']));
  return withDirectory(files, (directory) =>
    withServer(transport, directory, options, (server) => use(server, directory)),
  );
}
