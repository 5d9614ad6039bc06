/** The queues of calls: for --max-concurrent, for an earlier write of their file, and for a reading thread. */
import { isLargeText } from '../core/json/large-text.js';
import { mayJoinGroup, subjectOf } from '../core/operations.js';
import type { PendingCall } from './pending-call.js';

/** Limits running operations to --max-concurrent and queued ones to --max-queue. */
export class Gate {
  private running = 0;
  /** Does not include running calls. */
  readonly waiting = new Set<PendingCall>();

  constructor(
    private readonly maxConcurrent: number,
    private readonly maxQueue: number,
    private readonly start: (call: PendingCall) => void,
  ) {}

  /** Whether another call could neither run nor wait. */
  get full(): boolean {
    return this.running >= this.maxConcurrent && this.waiting.size >= this.maxQueue;
  }

  enter(call: PendingCall): void {
    if (this.running >= this.maxConcurrent) {
      this.waiting.add(call);
      // If it times out while it waits, it leaves the queue.
      void call.answer.then(() => {
        if (this.waiting.delete(call)) call.endIfSettled();
      });
      return;
    }
    this.running++;
    this.start(call);
  }

  /** An operation has ended. */
  leave(): void {
    this.running--;
    const [next] = this.waiting;
    if (next === undefined) return;
    this.waiting.delete(next);
    this.enter(next);
  }
}

/** Most writes in a group, even if more are waiting: answers within a group wait for each other. */
const mostWrites = 128;
/** Limit of text in the parameters of a group, in characters, since all of it is in memory at the same time. */
const mostText = 1_048_576;

/** The writes of each file in order of arrival, one call or one group at a time. */
export class FileQueues {
  /** By file key: the waiting calls, and the name that started the queue. */
  private readonly queues = new Map<string, { readonly name: string | undefined; readonly waiting: PendingCall[] }>();

  /** Calls in several queues. */
  private readonly meetings = new WeakMap<PendingCall, Meeting>();

  /** @param send runs calls of a file; resolves to those that must run again, in order. Never rejects */
  constructor(private readonly send: (key: string, calls: readonly PendingCall[]) => Promise<readonly PendingCall[]>) {}

  /**
   * Run a call as soon as every earlier write of its files has ended, unless it is answered while waiting. It is always
   * settled and ended eventually.
   * @param keys ordering keys of its files, the same for every name of a file
   */
  add(keys: readonly string[], call: PendingCall): void {
    call.inFileQueue = keys.some((key) => this.queues.has(key));
    if (keys.length > 1) this.meetings.set(call, new Meeting(call, keys.length));
    for (const key of keys) this.enqueue(key, call);
  }

  private enqueue(key: string, call: PendingCall): void {
    const queue = this.queues.get(key);
    if (queue !== undefined) {
      queue.waiting.push(call);
      return;
    }
    const waiting = [call];
    this.queues.set(key, { name: nameOf(call), waiting });
    void this.drain(key, waiting);
  }

  /** Number of calls waiting for an earlier write, each counted once. */
  get waiting(): number {
    return new Set([...this.queues.values()].flatMap(({ waiting }) => waiting)).size;
  }

  /** Whether writes queue under this key for exactly this name, so that the key need not be resolved again. */
  has(key: string, name: string): boolean {
    return this.queues.get(key)?.name === name;
  }

  private async drain(key: string, queue: PendingCall[]): Promise<void> {
    for (let group = takeGroup(queue); group.length > 0; group = takeGroup(queue)) {
      const again = await this.run(key, group);
      for (const call of again) call.inFileQueue = true;
      queue.unshift(...again);
    }
    this.queues.delete(key);
  }

  private run(key: string, group: readonly PendingCall[]): Promise<readonly PendingCall[]> {
    const [first] = group;
    const meeting = first && this.meetings.get(first);
    if (first === undefined || meeting === undefined) return this.send(key, group);
    return meeting.come(async () => {
      const again = await this.send(key, group);
      if (again.includes(first)) this.meetings.set(first, meeting.again());
      return again;
    });
  }
}

/**
 * A call in several queues runs when it is at the head of all of them, which all wait for it. Since it enters them all
 * at the same moment, deadlock is impossible.
 */
class Meeting {
  private missing: number;
  private running: Promise<readonly PendingCall[]> | undefined;
  private begin: () => void = () => undefined;
  private readonly begun = new Promise<void>((resolve) => {
    this.begin = resolve;
  });

  constructor(
    private readonly call: PendingCall,
    private readonly queues: number,
  ) {
    this.missing = queues;
  }

  /**
   * Called for each queue when the call reaches its head. @returns once the queue may continue, the calls to run again
   * there
   */
  async come(run: () => Promise<readonly PendingCall[]>): Promise<readonly PendingCall[]> {
    if (--this.missing === 0) {
      this.running = run();
      this.begin();
    }
    // If it times out before it starts, it is answered and blocks no queue.
    await Promise.race([this.begun, this.call.answer]);
    return this.running ?? [];
  }

  again(): Meeting {
    return new Meeting(this.call, this.queues);
  }
}

/** Take the first calls that may be committed together, ending those that were answered while waiting. */
function takeGroup(queue: PendingCall[]): PendingCall[] {
  const group: PendingCall[] = [];
  let text = 0;
  for (let next = queue[0]; next !== undefined && fits(next, group); next = queue[0]) {
    if (!next.endIfSettled()) {
      text += textIn(next.params);
      if (group.length > 0 && text > mostText) break;
      group.push(next);
    }
    queue.shift();
  }
  return group;
}

function fits(next: PendingCall, group: readonly PendingCall[]): boolean {
  const [first] = group;
  if (first === undefined || next.settled) return true;
  if (first.alone || next.alone || group.length === mostWrites) return false;
  if (![first, next].every(({ operation, params }) => mayJoinGroup(operation, params))) return false;
  // Another name of the file, such as a link, would need a different error message.
  const isSameName = next.operation === first.operation && nameOf(next) === nameOf(first);
  // The file is looked up once for the group, with the paths of one caller.
  return isSameName && next.context.caller?.writable?.key === first.context.caller?.writable?.key;
}

function nameOf({ operation, params }: PendingCall): string | undefined {
  return subjectOf(operation, params);
}

/** Total length of the strings in a value. */
export function textIn(value: unknown): number {
  if (typeof value === 'string' || isLargeText(value)) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + textIn(member), 0);
}

/** Most reads in a task. More would save nothing, and if the thread dies, all of them wait for its successor. */
const mostReads = 64;
/** Most tasks in flight; further calls accumulate. With only one, the two threads would wait for each other. */
const mostTasks = 2;

/**
 * Batches the reads of a shard. A task costs the two threads as much as ten small reads, so reads of one tick of the
 * event loop travel together; batches grow with load.
 */
export class ReadQueue {
  private waiting: PendingCall[] = [];
  private tasks = 0;
  private scheduled = false;

  /** @param send runs calls as one task; resolves to those that must be sent again, in order */
  constructor(private readonly send: (calls: readonly PendingCall[]) => Promise<readonly PendingCall[]>) {}

  get length(): number {
    return this.waiting.length;
  }

  add(call: PendingCall): void {
    this.waiting.push(call);
    if (this.scheduled || this.tasks >= mostTasks) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    while (this.tasks < mostTasks) {
      const calls = this.take();
      if (calls.length === 0) return;
      this.tasks++;
      void this.send(calls).then((again) => {
        this.tasks--;
        this.waiting.unshift(...again);
        this.flush();
      });
    }
  }

  /** Take the first calls that may share a task. */
  private take(): PendingCall[] {
    const unanswered = this.waiting.filter((call) => !call.endIfSettled());
    const [first] = unanswered;
    const other = unanswered.findIndex((call) => call.operation !== first?.operation);
    // A call that may take long, about all files or a tree, gets its own task so that it delays no other.
    const most = first?.operation.pauses === true ? 1 : mostReads;
    const calls = unanswered.splice(0, Math.min(other === -1 ? unanswered.length : other, most));
    this.waiting = unanswered;
    return calls;
  }
}
