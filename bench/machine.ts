/** What figures depend on, so that they are never quoted without it. */
import { cpus, loadavg, totalmem } from 'node:os';

export function machine(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${String(processors.length)} × ${model}, ${String(memory)} GB, ${process.platform}, Node ${process.version}`;
}

/** Processes that wanted a processor in the last minute: near 0 on a machine that does nothing else. */
export function loadAverage(): number {
  return loadavg()[0] ?? 0;
}
