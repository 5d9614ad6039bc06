/**
 * Logs when this process runs short of memory or CPU and when that is over, before the system kills it or clients time
 * out. It refuses nothing; queues have their own limits (spec 6).
 */
import { availableParallelism, freemem } from 'node:os';
import { v8 } from '../core/memory/free.js';
import type { Log } from './log.js';

/** Utilization of each resource, from 0 to 1. */
export interface Load {
  /** Of the container's limit, or of the memory available on the machine. */
  readonly memory: number;
  /** Of the main thread's JavaScript heap; the process dies when it is full. */
  readonly heap: number;
  /** Of the main thread's time. */
  readonly eventLoop: number;
  /** Of all visible processors, by all threads. A lower CPU quota of a container is unknown. */
  readonly cpu: number;
}

type Resource = keyof Load;

interface Limit {
  /** Warn from here on. */
  readonly high: number;
  /** Recovered below this. The gap keeps a load that hovers around one threshold from flooding the log. */
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
    advice: 'send fewer concurrent requests or, over HTTP, share the port among several processes with --reuse-port',
  },
  cpu: {
    high: 0.9,
    low: 0.8,
    problem: 'the processors are saturated',
    advice: 'send fewer concurrent requests, limit --max-concurrent, or give it more processors',
  },
};
const resources: readonly Resource[] = ['memory', 'heap', 'eventLoop', 'cpu'];

/** Short enough to warn before memory is full, long enough that saturation is noticeable to clients. */
const checkMs = 5_000;
/** At most one warning per resource in this time. */
const repeatMs = 60_000;

/** Decides when to log. */
export class Strain {
  private readonly warnedAt = new Map<Resource, number>();
  private readonly strained = new Set<Resource>();

  /** @param relieve drops memory kept only for speed; called with each memory warning */
  constructor(
    private readonly log: Log,
    private readonly relieve: () => void,
  ) {}

  /** @param now milliseconds of a monotonic clock */
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

/** Check every 5 s, without keeping the process alive. @returns a function that stops it */
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
 * Each call returns the load since the last successful one; memory is the current value. Takes 0.1 ms.
 * @returns undefined if the system does not report it
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

/**
 * Node opens a file for this and throws if descriptors have run out: idle connections alone used to end the process.
 */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

/**
 * Share of the available memory that a process uses; arguments in bytes. Other usage in its container does not count:
 * most of it is page cache, which the system reclaims when memory is short.
 * @param constrained limit of the container; 0, undefined or a huge value mean none
 * @param free memory that the system could still allocate
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
