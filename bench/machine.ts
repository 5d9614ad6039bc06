/** The machine that produced the figures; no figure is quoted without it. */
import { cpus, loadavg, totalmem } from 'node:os';

export function machine(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${String(processors.length)} × ${model}, ${String(memory)} GB, ${process.platform}, Node ${process.version}`;
}

/** Average number of runnable processes over the last minute: near 0 on an idle machine. */
export function loadAverage(): number {
  return loadavg()[0] ?? 0;
}
