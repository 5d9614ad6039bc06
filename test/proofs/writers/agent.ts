import { type Client, type Reply, httpClient, isRecord } from '../../reliability/client.js';
import type { Random } from '../../reliability/random.js';
import { chooseCall } from './choice.js';
import { linesOf, listed, readOperations, type FileCall } from './file-calls.js';
import { pickRunning, type Berth } from './fleet.js';
import type { Clock, History } from './history.js';

/** State shared by all agents. */
export interface Arena {
  readonly fleet: readonly Berth[];
  /** By the name of the file. */
  readonly histories: ReadonlyMap<string, History>;
  /** Files edited so rarely that servers cache them. */
  readonly quiet: ReadonlySet<string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly counts: Counts;
}

export class Counts {
  edits = 0;
  /** Of those. */
  refused = 0;
  reads = 0;
  unanswered = 0;
  tooLate = 0;
}

/** Makes sequential calls, each to a random server, and remembers what it last saw of each file. */
export class Agent {
  private readonly clients: ReadonlyMap<Berth, Client>;
  private readonly seen = new Map<string, string>();
  private lines = 0;

  constructor(
    private readonly name: string,
    private readonly arena: Arena,
  ) {
    this.clients = new Map(arena.fleet.map((berth) => [berth, httpClient(berth.url)]));
  }

  /** @throws if a server's answer does not fit the call */
  async ask(): Promise<void> {
    const { histories, random } = this.arena;
    const file = random.pick([...histories.keys()]);
    if (random.between(1, 20) === 1) return this.list();
    const call = this.choose(file);
    const begin = this.arena.clock.tick();
    const { reply, dead } = await this.send(call.operation, call.params);
    this.count(call.operation, reply);
    const history = this.arena.histories.get(file);
    if (history === undefined || isTooLate(reply)) return;
    if (reply.kind === 'refused' && !explicable.has(reply.status)) {
      throw new Error(`${call.operation} of ${file} was answered ${JSON.stringify(reply)}`);
    }
    if (reply.kind !== 'unanswered') history.answered(call, begin, reply);
    else {
      await dead;
      history.cutOff(call, begin);
    }
    if (reply.kind === 'done') this.remember(file, call, reply.result);
  }

  close(): void {
    for (const client of this.clients.values()) client.close();
  }

  private choose(file: string): FileCall {
    const { random, quiet } = this.arena;
    const mostlyRead = quiet.has(file);
    // With many concurrent edits, only the hash in each answer keeps the number of possible orders small.
    const hash = mostlyRead && random.between(0, 1) === 0 ? undefined : true;
    return chooseCall(random, file, this.seen.get(file), () => this.newLine(), { mostlyRead, hash });
  }

  /** One answer, about every file. */
  private async list(): Promise<void> {
    const begin = this.arena.clock.tick();
    const { reply } = await this.send('list_files', {});
    this.count('list_files', reply);
    if (reply.kind !== 'done') return;
    const { files } = reply.result;
    for (const [name, history] of this.arena.histories) {
      const entry: unknown = Array.isArray(files)
        ? files.find((each) => isRecord(each) && each['name'] === name)
        : null;
      const result = isRecord(entry) ? entry : { listed: false };
      history.answered(listed(name), begin, { kind: 'done', result });
    }
  }

  /** @returns the answer, or undefined once none can come any more */
  private async send(operation: string, params: unknown): Promise<{ reply: Reply; dead: Promise<void> }> {
    const { berth, client } = pickRunning(this.arena.fleet, this.clients, this.arena.random);
    const { kills, dead } = berth;
    const reply = await client.call(operation, params);
    // Between two servers, or while one was killed: the only valid reason for a missing answer.
    const isExcused = berth.server === undefined || berth.kills !== kills;
    if (reply.kind === 'unanswered' && !isExcused) throw new Error(`${operation} was not answered: ${reply.reason}`);
    return { reply, dead: berth.kills === kills ? dead : berth.dead };
  }

  private count(operation: string, reply: Reply): void {
    const { counts } = this.arena;
    if (readOperations.has(operation)) counts.reads++;
    else {
      counts.edits++;
      if (reply.kind === 'refused') counts.refused++;
    }
    if (reply.kind === 'unanswered') counts.unanswered++;
    if (isTooLate(reply)) counts.tooLate++;
  }

  private remember(
    file: string,
    { operation }: FileCall,
    { content, total_lines: total }: Record<string, unknown>,
  ): void {
    if (typeof content !== 'string') return;
    if (operation === 'view') this.seen.set(file, content);
    else if (total !== undefined && linesOf(`${content}\n`).length === total) this.seen.set(file, `${content}\n`);
  }

  /** Unique, and not a substring of any other line. */
  private newLine(): string {
    return `<${this.name}.${String(++this.lines)}>`;
  }
}

/** A timeout: nothing was written, and nothing is learned about the file. */
function isTooLate(reply: Reply): boolean {
  if (reply.kind !== 'refused' || reply.data['applied'] !== undefined) return false;
  return reply.status === 504 || reply.message === lockTimeout || reply.data['reason'] === 'timeout';
}

const lockTimeout = 'Failed to acquire file lock within timeout';

/** Refusals that the file's content may explain. Any other would make its history inexplicable. */
const explicable: ReadonlySet<number | undefined> = new Set([400, 404, 409, 412]);
