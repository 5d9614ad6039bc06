import { Histogram } from './histogram.js';

/** Milliseconds between two looks: twenty a second, of 10 µs each. */
const everyMs = 50;
/** Nobody has asked for so many milliseconds: then there are none, or an idle server would wake up for nobody. */
const usualQuietMs = 120_000;

/**
 * How long the main thread keeps those waiting who come at any moment: by how much a timer is late. It runs only while
 * somebody asks for figures.
 */
export class LoopDelay {
  readonly seconds = new Histogram([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]);
  private lastAsked = 0;
  private lastLook = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly quietMs = usualQuietMs) {}

  /** Somebody wants to know. */
  touch(): void {
    this.lastAsked = performance.now();
    if (this.timer !== undefined) return;
    this.lastLook = this.lastAsked;
    // It keeps no process that could end.
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
