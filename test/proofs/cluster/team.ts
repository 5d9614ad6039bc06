import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Reply } from '../../reliability/client.js';
import { Ledger } from '../../reliability/ledger.js';
import type { Random } from '../../reliability/random.js';

/** Work for each client; together they make 1000 conflicting edits. */
const agents = 10;
const appends = 50;
const counts = 15;
const tokens = 20;
/** Races between one client of each host for the same path. */
const races = 50;
const log = 'log.txt';
const counter = 'counter.txt';
const tokenFile = 'tokens.txt';

/**
 * Clients that all change the same files, over servers on several hosts, and their combined knowledge of these files.
 */
export class Team {
  private readonly ledger = new Ledger();
  private counted = 0;
  private stale = 0;
  private unanswered = 0;
  private edits = 0;
  /** The expected content of each contested path. */
  private readonly won = new Map<string, string>();

  /** @param directory where the edited files are created */
  constructor(
    directory: string,
    private readonly random: Random,
  ) {
    for (const folder of ['from', 'to']) mkdirSync(join(directory, folder));
    writeFileSync(join(directory, log), '');
    writeFileSync(join(directory, counter), '0\n');
    writeFileSync(
      join(directory, tokenFile),
      allTokens(() => 0),
    );
    for (let race = 0; race < races; race++) writeFileSync(join(directory, 'from', String(race)), String(race));
  }

  /**
   * Do everything, all at once.
   * @param hosts a client of the server of each host
   * @param mortal a client of a server that may be killed at any time
   */
  async work(hosts: readonly [Client, Client], mortal: () => Client): Promise<void> {
    const each = Array.from({ length: agents }, (_, agent) => this.agent(agent, hosts, mortal));
    await Promise.all([...each, this.race(hosts)]);
  }

  /** @param directory as one of the hosts sees it */
  check(directory: string): void {
    const text = (...names: string[]): string => readFileSync(join(directory, ...names), 'utf8');
    this.ledger.check(join(directory, log));
    assert.equal(text(counter), `${String(agents * counts)}\n`);
    assert.equal(this.counted, agents * counts);
    assert.equal(
      text(tokenFile),
      allTokens(() => tokens),
    );
    const held = ['from', 'to'].flatMap((folder) =>
      readdirSync(join(directory, folder)).map((name) => [`${folder}/${name}`, text(folder, name)] as const),
    );
    assert.deepEqual(new Map(held.sort()), new Map([...this.won].sort()));
  }

  summary(): string {
    return `${String(this.edits)} edits; ${String(this.stale)} found a newer version, ${String(this.unanswered)} were not answered`;
  }

  private async agent(agent: number, hosts: readonly Client[], mortal: () => Client): Promise<void> {
    const tasks = [
      ...Array.from({ length: appends }, () => 'append'),
      ...Array.from({ length: counts }, () => 'count'),
      ...Array.from({ length: tokens }, () => 'token'),
    ];
    let token = 0;
    for (let number = 0; tasks.length > 0; number++) {
      const task = tasks.splice(this.random.between(0, tasks.length - 1), 1)[0];
      const host = this.random.pick(hosts);
      this.edits += 1;
      if (task === 'append')
        await this.append(this.random.between(0, 3) === 0 ? mortal() : host, `${String(agent)}-${String(number)}`);
      else if (task === 'count') await this.count(hosts);
      else await replaceToken(host, agent, token++);
    }
  }

  private async append(client: Client, line: string): Promise<void> {
    const reply = await client.call('edit_file', { name: log, append: line });
    if (reply.kind === 'done') {
      this.ledger.acknowledge(line, reply.result['new_total_lines']);
      return;
    }
    assert.equal(reply.kind, 'unanswered', JSON.stringify(reply));
    this.unanswered += 1;
    this.ledger.leaveOpen(line);
  }

  /** Increment the version read, with retries until it is still current at the edit. */
  private async count(hosts: readonly Client[]): Promise<void> {
    for (;;) {
      const read = await this.random.pick(hosts).call('read_file', { name: counter, return_hash: true });
      assert.ok(read.kind === 'done', JSON.stringify(read));
      const { content, hash } = read.result;
      const edits = [{ line: 1, operation: 'replace', content: String(Number(content) + 1) }];
      const reply = await this.random.pick(hosts).call('edit_file', { name: counter, edits, expected_hash: hash });
      if (reply.kind === 'done') {
        this.counted += 1;
        return;
      }
      assert.ok(reply.kind === 'refused' && reply.status === 412, JSON.stringify(reply));
      this.stale += 1;
    }
  }

  /** One client of each host makes the same request at the same time: one wins, and the other is told why it lost. */
  private async race(hosts: readonly [Client, Client]): Promise<void> {
    for (let race = 0; race < races; race++) {
      const both = (call: (client: Client, host: number) => Promise<Reply>): Promise<[Reply, Reply]> =>
        Promise.all([call(hosts[0], 0), call(hosts[1], 1)]);
      const made = `to/made-${String(race)}`;
      const text = (host: number): string => `made by host ${String(host)}`;
      const creator = winner(
        await both((client, host) => client.call('create', { path: made, content: text(host), encoding: 'utf-8' })),
        'file_exists',
      );
      this.won.set(made, text(creator));

      const moved = (host: number): string => `to/moved-${String(race)}-by-${String(host)}`;
      const old = `from/${String(race)}`;
      const mover = winner(
        await both((client, host) => client.call('rename', { old_path: old, new_path: moved(host) })),
        'file_not_found',
      );
      const target = `to/target-${String(race)}`;
      const sources = [made, moved(mover)] as const;
      const replies = await both((client, host) =>
        client.call('rename', { old_path: sources[host === 0 ? 0 : 1], new_path: target }),
      );
      const first = winner(replies, 'file_exists') === 0;
      this.won.delete(made);
      this.won.set(target, first ? text(creator) : String(race));
      this.won.set(first ? moved(mover) : made, first ? String(race) : text(creator));
      this.edits += 6;
    }
  }
}

/** @returns which of the two won */
function winner(replies: readonly [Reply, Reply], reason: string): 0 | 1 {
  const first = replies[0].kind === 'done' ? 0 : 1;
  const loser = replies[1 - first];
  assert.equal(replies[first].kind, 'done', JSON.stringify(replies));
  assert.ok(loser?.kind === 'refused' && loser.data['reason'] === reason, JSON.stringify(replies));
  return first;
}

/** Each client has its own line of the same file: no edit may undo another's. */
async function replaceToken(client: Client, agent: number, from: number): Promise<void> {
  const edits = [{ old_string: tokenOf(agent, from), new_string: tokenOf(agent, from + 1) }];
  const reply = await client.call('apply_edits', { path: tokenFile, edits });
  assert.ok(reply.kind === 'done', JSON.stringify(reply));
}

function tokenOf(agent: number, value: number): string {
  return `<agent ${String(agent)} at ${String(value)}>`;
}

function allTokens(value: (agent: number) => number): string {
  return Array.from({ length: agents }, (_, agent) => `${tokenOf(agent, value(agent))}\n`).join('');
}
