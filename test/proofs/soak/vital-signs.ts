import { readdirSync } from 'node:fs';
import { memoryMb } from '../../../bench/process-figures.js';

/** A process's resources, which must not grow between a few and a million calls. */
export interface Holdings {
  readonly descriptors: number;
  readonly threads: number;
}

export function holdingsOf(pid: number): Holdings {
  const count = (what: string): number => readdirSync(`/proc/${String(pid)}/${what}`).length;
  return { descriptors: count('fd'), threads: count('task') };
}

/** Memory of a process over the run. */
export class MemoryCurve {
  private readonly points: { readonly calls: number; readonly mb: number }[] = [];

  constructor(private readonly pid: number) {}

  now(): number {
    return memoryMb(this.pid) ?? NaN;
  }

  note(calls: number): void {
    this.points.push({ calls, mb: memoryMb(this.pid) ?? NaN });
  }

  /** A least-squares fit of the samples after `from` calls. @returns growth in MB per million calls, and the last MB */
  fit(from: number): { readonly slope: number; readonly last: number; readonly most: number } {
    const points = this.points.filter(({ calls }) => calls >= from);
    const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
    const [calls, mb] = [mean(points.map((point) => point.calls)), mean(points.map((point) => point.mb))];
    const above = points.reduce((sum, point) => sum + (point.calls - calls) * (point.mb - mb), 0);
    const below = points.reduce((sum, point) => sum + (point.calls - calls) ** 2, 0);
    return {
      slope: (above / below) * 1e6,
      last: points.at(-1)?.mb ?? NaN,
      most: Math.max(...points.map((point) => point.mb)),
    };
  }
}
