/**
 * Tells the log when this process runs short of memory or of processor time, and when it has enough again: before the
 * system kills it or its clients run into their timeouts. Nothing is refused because of it; queues have bounds of their
 * own (contract 6).
 */
import { availableParallelism, freemem } from 'node:os';
import { v8 } from '../late-v8.js';
import type { Log } from './log.js';

/** What is used of each resource, from 0 to 1. */
export interface Load {
  /** Of what this process may have: of the limit of its container, or of what is left on the machine. */
  readonly memory: number;
  /** Of JavaScript's own memory on the main thread, which ends the process when it is full. */
  readonly heap: number;
  /** Of the time of the main thread. */
  readonly eventLoop: number;
  /** Of the time of all processors that the system shows, by all threads. A quota of a container below that is not known. */
  readonly cpu: number;
}

type Resource = keyof Load;

interface Limit {
  /** The log warns from here on. */
  readonly high: number;
  /** It is over below this: a load that stays around one mark must not fill the log. */
  readonly low: number;
  readonly problem: string;
  readonly advice: string;
}

const lessMemory = 'lower --cache-mb, --max-size or --workers, limit --max-concurrent, or give it more memory';

const limits: Readonly<Record<Resource, Limit>> = {
  memory: { high: 0.8, low: 0.7, problem: 'memory is running short', advice: lessMemory },
  heap: { high: 0.8, low: 0.7, problem: 'the heap of the main thread is running full', advice: lessMemory },
  eventLoop: {
    high: 0.9,
    low: 0.8,
    problem: 'the main thread is saturated, so requests wait for it',
    advice: 'send fewer requests at once, or share the port among several processes with --reuse-port',
  },
  cpu: {
    high: 0.9,
    low: 0.8,
    problem: 'the processors are saturated',
    advice: 'send fewer requests at once, limit --max-concurrent, or give it more processors',
  },
};
const resources: readonly Resource[] = ['memory', 'heap', 'eventLoop', 'cpu'];

/** Short enough to warn before memory is full, long enough for a saturation that clients notice. */
const checkMs = 5_000;
/** Of one resource, the log warns at most this often. */
const repeatMs = 60_000;

/** Decides when something is said. */
export class Strain {
  private readonly warnedAt = new Map<Resource, number>();
  private readonly strained = new Set<Resource>();

  /** @param relieve gives back memory that is only kept to be faster; called with each warning about memory */
  constructor(
    private readonly log: Log,
    private readonly relieve: () => void,
  ) {}

  /** @param now in milliseconds, of a clock that is never set */
  check(load: Load, now: number): void {
    for (const resource of resources) {
      const used = load[resource];
      const { high, low } = limits[resource];
      if (used >= high) this.warn(resource, used, now);
      else if (used < low && this.strained.delete(resource)) {
        this.log.info({ resource, used: rounded(used) }, `no longer: ${limits[resource].problem}`);
      }
    }
  }

  private warn(resource: Resource, used: number, now: number): void {
    if (now - (this.warnedAt.get(resource) ?? -Infinity) < repeatMs) return;
    this.warnedAt.set(resource, now);
    this.strained.add(resource);
    const { problem, advice } = limits[resource];
    this.log.warn({ resource, used: rounded(used) }, `${problem} (${String(Math.round(used * 100))} %): ${advice}`);
    if (resource === 'memory' || resource === 'heap') this.relieve();
  }
}

/** Looks every 5 s from now on, without keeping the process alive. @returns ends it */
export function watchStrain(log: Log, relieve: () => void): () => void {
  const strain = new Strain(log, relieve);
  const readLoad = loadReader();
  const timer = setInterval(() => {
    const load = readLoad();
    if (load !== undefined) strain.check(load, performance.now());
  }, checkMs).unref();
  return () => {
    clearInterval(timer);
  };
}

/**
 * Each call tells the load since the last one that could; of memory, that of now. Takes 0.1 ms.
 * @returns undefined where the system does not tell
 */
export function loadReader(): () => Load | undefined {
  let loop = performance.eventLoopUtilization();
  let cpu = process.cpuUsage();
  let time = performance.now();
  return () => {
    const rss = residentBytes();
    if (rss === undefined) return undefined;
    const [loopNow, cpuNow, now] = [performance.eventLoopUtilization(), process.cpuUsage(), performance.now()];
    const used = (cpuNow.user + cpuNow.system - cpu.user - cpu.system) / 1000;
    const { utilization } = performance.eventLoopUtilization(loopNow, loop);
    const load: Load = {
      memory: memoryUsed(rss, process.constrainedMemory(), freemem()),
      heap: heapUsed(),
      eventLoop: utilization,
      cpu: used / Math.max(now - time, 1) / availableParallelism(),
    };
    [loop, cpu, time] = [loopNow, cpuNow, now];
    return load;
  };
}

/** Node opens a file for it and throws without a descriptor: idle connections alone ended the process. */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

/**
 * The share of a process in what it may have, in bytes each. What is used in its container besides is not counted: most
 * of that is the system's cache of its files, which is given up when memory is short.
 * @param constrained limit of the container; 0, undefined or more than any machine has: none
 * @param free what the system could still give to anybody
 */
export function memoryUsed(rss: number, constrained: number | undefined, free: number): number {
  const container = constrained === undefined || constrained === 0 ? Infinity : constrained;
  return rss / Math.min(container, rss + free);
}

function heapUsed(): number {
  const { used_heap_size, heap_size_limit } = v8().getHeapStatistics();
  return used_heap_size / heap_size_limit;
}

function rounded(used: number): number {
  return Math.round(used * 100) / 100;
}
