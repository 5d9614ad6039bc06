import { readdirSync } from 'node:fs';
import { memoryMb } from '../../../bench/process-figures.js';

/** What a process holds: it must be the same after a million questions as after some. */
export interface Holdings {
  readonly descriptors: number;
  readonly threads: number;
}

export function holdingsOf(pid: number): Holdings {
  const count = (what: string): number => readdirSync(`/proc/${String(pid)}/${what}`).length;
  return { descriptors: count('fd'), threads: count('task') };
}

/** Memory of a process in the course of the work. */
export class MemoryCurve {
  private readonly points: { readonly calls: number; readonly mb: number }[] = [];

  constructor(private readonly pid: number) {}

  now(): number {
    return memoryMb(this.pid) ?? NaN;
  }

  note(calls: number): void {
    this.points.push({ calls, mb: memoryMb(this.pid) ?? NaN });
  }

  /** By least squares over what was noted behind `from` calls. @returns MB that a million calls add, and the last MB */
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
