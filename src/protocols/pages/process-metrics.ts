import { readdirSync, readFileSync } from 'node:fs';
import { counter, gauge } from './prometheus.js';

/** Figures that Prometheus defines for every program, and the usual ones for Node, under their names. */
export function ofProcess(): string[] {
  const { user, system } = process.cpuUsage();
  const [open, most] = descriptors();
  return [
    counter('process_cpu_seconds_total', 'Processor time of all threads.', [[{}, (user + system) / 1e6]]),
    // Constant: a different value means a new process.
    gauge('process_start_time_seconds', 'When the process was started.', [[{}, performance.timeOrigin / 1000]]),
    ...memory(),
    ...(open === undefined ? [] : [gauge('process_open_fds', 'Open descriptors.', [[{}, open]])]),
    ...(most === undefined ? [] : [gauge('process_max_fds', 'Descriptors at most.', [[{}, most]])]),
  ];
}

/**
 * Node opens a file for this, and throws without a free descriptor: just when the other figures are needed most.
 */
function memory(): string[] {
  try {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    return [
      gauge('process_resident_memory_bytes', 'Resident memory.', [[{}, rss]]),
      gauge('nodejs_heap_size_total_bytes', 'Heap of the main thread.', [[{}, heapTotal]]),
      gauge('nodejs_heap_size_used_bytes', 'What is in use of it.', [[{}, heapUsed]]),
      gauge('nodejs_external_memory_bytes', 'Memory outside of the heap, such as that of answers.', [[{}, external]]),
    ];
  } catch {
    return [];
  }
}

/** The number of open descriptors, and their limit; undefined without /proc. */
function descriptors(): [open: number | undefined, most: number | undefined] {
  try {
    // One of them is for the listing itself.
    const open = readdirSync('/proc/self/fd').length - 1;
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return [open, most === undefined ? undefined : Number(most)];
  } catch {
    return [undefined, undefined];
  }
}
