import { Histogram } from './histogram.js';

/** Interval of the checks in milliseconds: twenty a second, 10 µs each. */
const everyMs = 50;
/**
 * Checks stop this many milliseconds after the last request for metrics, so an idle server does not wake up for
 * nothing.
 */
const usualQuietMs = 120_000;

/** Measures event loop delay by how late a timer fires. Runs only while metrics are being requested. */
export class LoopDelay {
  readonly seconds = new Histogram([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]);
  private lastAsked = 0;
  private lastLook = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly quietMs = usualQuietMs) {}

  /** Metrics were requested. */
  touch(): void {
    this.lastAsked = performance.now();
    if (this.timer !== undefined) return;
    this.lastLook = this.lastAsked;
    // It must not keep the process alive.
    this.timer = setInterval(() => {
      this.look();
    }, everyMs).unref();
  }

  private look(): void {
    const now = performance.now();
    this.seconds.add(Math.max(0, now - this.lastLook - everyMs) / 1000);
    this.lastLook = now;
    if (now - this.lastAsked < this.quietMs) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
