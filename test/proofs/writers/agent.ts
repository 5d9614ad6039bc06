import { type Client, type Refused, type Reply, httpClient, isRecord } from '../../reliability/client.js';
import type { Random } from '../../reliability/random.js';
import { chooseCall } from './choice.js';
import { chooseChanges, type ChangeSet, type OwnFile } from './change-sets.js';
import { create, linesOf, listed, readOperations, type FileCall } from './file-calls.js';
import { pickRunning, type Berth } from './fleet.js';
import { History, type Clock } from './history.js';

/** State shared by all agents. */
export interface Arena {
  readonly fleet: readonly Berth[];
  /** By the name of the file. */
  readonly histories: ReadonlyMap<string, History>;
  /** Of files that only one call or two are about. */
  readonly own: Map<OwnFile, History>;
  /** One call in so many changes several files; 0: none does. */
  readonly setEvery: number;
  /** Files edited so rarely that servers cache them. */
  readonly quiet: ReadonlySet<string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly counts: Counts;
}

export class Counts {
  edits = 0;
  /** Calls that change several files; they are no edits. */
  sets = 0;
  refusedSets = 0;
  /** Unanswered. */
  cutSets = 0;
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
    if (this.arena.setEvery > 0 && random.between(1, this.arena.setEvery) === 1) return this.changeSeveral();
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

  /** One answer, about several files. */
  private async changeSeveral(): Promise<void> {
    const { arena } = this;
    const files = [...arena.histories.keys()];
    const chosen = chooseChanges(
      arena.random,
      files,
      (file) => this.seen.get(file),
      () => this.newLine(),
    );
    for (const [file, content] of chosen.needs) if (!(await this.create(file, content))) return;
    const set = ++arena.counts.sets;
    const begin = arena.clock.tick();
    const { reply, restarted } = await this.send('apply_changes', chosen.params);
    if (reply.kind === 'refused') {
      arena.counts.refusedSets++;
      this.refused(chosen, begin, reply);
      return;
    }
    if (reply.kind === 'unanswered') {
      arena.counts.cutSets++;
      await restarted;
    }
    const told = reply.kind === 'done' ? reply.result['changes'] : [];
    if (reply.kind === 'done') {
      for (const { shared } of chosen.parts) if (!this.seen.has(shared)) this.seen.set(shared, '');
    }
    for (const [i, { shared, onShared, onOwn }] of chosen.parts.entries()) {
      const note = (history: History | undefined, part: FileCall): void => {
        const call = { ...part, set };
        const result: unknown = Array.isArray(told) ? told[i] : undefined;
        if (reply.kind === 'unanswered') history?.cutOff(call, begin);
        else history?.answered(call, begin, { kind: 'done', result: isRecord(result) ? result : {} });
      };
      note(arena.histories.get(shared), onShared);
      if (onOwn !== undefined) note(this.historyOf(onOwn.file), onOwn.call);
    }
  }

  /** Only the change that failed is told of. */
  private refused({ parts }: ChangeSet, begin: number, reply: Refused): void {
    if (isTooLate(reply)) {
      this.arena.counts.tooLate++;
      return;
    }
    const { change } = reply.data;
    const part = typeof change === 'number' ? parts[change - 1] : undefined;
    if (part === undefined || !explicable.has(reply.status)) {
      throw new Error(`apply_changes was answered ${JSON.stringify(reply)}`);
    }
    // Another call that assumes the same would be refused too.
    if (reply.status === 404) this.seen.delete(part.shared);
    else if (reply.status === 409 && !this.seen.has(part.shared)) this.seen.set(part.shared, '');
    this.arena.histories.get(part.shared)?.answered(part.onShared, begin, reply);
  }

  /** @returns whether it is certain that it is there */
  private async create(file: OwnFile, content: string): Promise<boolean> {
    const call = create(file.name, content.trimEnd());
    const begin = this.arena.clock.tick();
    const { reply, dead } = await this.send(call.operation, call.params);
    this.count(call.operation, reply);
    if (isTooLate(reply)) return false;
    if (reply.kind === 'unanswered') await dead;
    if (reply.kind === 'unanswered') this.historyOf(file).cutOff(call, begin);
    else this.historyOf(file).answered(call, begin, reply);
    return reply.kind === 'done';
  }

  private historyOf(file: OwnFile): History {
    const { own, clock } = this.arena;
    const history = own.get(file) ?? new History(clock);
    own.set(file, history);
    return history;
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
  private async send(operation: string, params: unknown): Promise<Sent> {
    const { berth, client } = pickRunning(this.arena.fleet, this.clients, this.arena.random);
    const { kills } = berth;
    const { dead, restarted } = berth;
    const reply = await client.call(operation, params);
    // Between two servers, or while one was killed: the only valid reason for a missing answer.
    const isExcused = berth.server === undefined || berth.kills !== kills;
    if (reply.kind === 'unanswered' && !isExcused) throw new Error(`${operation} was not answered: ${reply.reason}`);
    const isSame = berth.kills === kills;
    return { reply, dead: isSame ? dead : berth.dead, restarted: isSame ? restarted : berth.restarted };
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

interface Sent {
  readonly reply: Reply;
  /** Resolves once its server can do nothing any more, if it was not answered. */
  readonly dead: Promise<void>;
  /** Resolves once another server has made what that one had decided. */
  readonly restarted: Promise<void>;
}

/** A timeout: nothing was written, and nothing is learned about the file. */
function isTooLate(reply: Reply): boolean {
  if (reply.kind !== 'refused' || reply.data['applied'] !== undefined) return false;
  return reply.status === 504 || reply.message === lockTimeout || reply.data['reason'] === 'timeout';
}

const lockTimeout = 'Failed to acquire file lock within timeout';

/** Refusals that the file's content may explain. Any other would make its history inexplicable. */
const explicable: ReadonlySet<number | undefined> = new Set([400, 404, 409, 412]);
