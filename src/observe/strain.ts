/**
 * Logs when this process runs short of memory or processor time, and when it has enough again: before the system kills
 * it or its clients run into time-outs. Nothing is refused because of it; queues have bounds of their own (spec 6).
 */
import { availableParallelism, freemem } from 'node:os';
import { v8 } from '../core/memory/free.js';
import type { Log } from './log.js';

/** How much of each resource is used, from 0 to 1. */
export interface Load {
  /** Of the limit of its container, or of what is left on the machine. */
  readonly memory: number;
  /** Of the JavaScript heap of the main thread, which ends the process when it is full. */
  readonly heap: number;
  /** Of the main thread's time. */
  readonly eventLoop: number;
  /** Of the time of all processors that the system shows, by all threads. A lower quota of a container is not known. */
  readonly cpu: number;
}

type Resource = keyof Load;

interface Limit {
  /** From here on, the log warns. */
  readonly high: number;
  /** Below this it is over: a load that stays around one mark must not fill the log. */
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
    advice: 'send fewer requests at once, or, over HTTP, share the port among several processes with --reuse-port',
  },
  cpu: {
    high: 0.9,
    low: 0.8,
    problem: 'the processors are saturated',
    advice: 'send fewer requests at once, limit --max-concurrent, or give it more processors',
  },
};
const resources: readonly Resource[] = ['memory', 'heap', 'eventLoop', 'cpu'];

/** Short enough to warn before memory is full, long enough to mean a saturation that clients notice. */
const checkMs = 5_000;
/** At most one warning per resource in this time. */
const repeatMs = 60_000;

/** Decides when to say something. */
export class Strain {
  private readonly warnedAt = new Map<Resource, number>();
  private readonly strained = new Set<Resource>();

  /** @param relieve gives back memory that is only kept for speed; called with each warning about memory */
  constructor(
    private readonly log: Log,
    private readonly relieve: () => void,
  ) {}

  /** @param now in milliseconds, of a monotonic clock */
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

/** From now on, check every 5 s, without keeping the process alive. @returns ends this */
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
 * Each call returns the load since the last successful one; for memory, the current one. Takes 0.1 ms.
 * @returns undefined if the system does not tell
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

/** Node opens a file for this, and throws without a free descriptor: idle connections alone used to end the process. */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

/**
 * The share of what it may have that a process uses, all in bytes. Other use in its container does not count: most of
 * that is the system's cache of its files, which is given up when memory is short.
 * @param constrained limit of the container; 0, undefined or more than any machine has means none
 * @param free what the system could still give to anyone
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
