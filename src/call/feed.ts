/**
 * Calls that wait for the next recorded change (spec 18): of this server or of another one of the directory, so the log
 * is looked at four times a second for all of them together, and not at all while none waits.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { historyName, reservedName } from '../core/names/reserved-name.js';

const pauseMs = 250;

interface Waiting {
  readonly since: string;
  /** Whether nobody waits for its answer any more, or its time is up. */
  readonly isOver: () => boolean;
  /** @param mayGoOn whether there may be more to come */
  readonly resolve: (mayGoOn: boolean) => void;
}

export class Feed {
  private readonly waiting = new Set<Waiting>();
  private isRunning = false;
  private isClosed = false;
  private readonly log: string;

  /** @param directory the working directory */
  constructor(directory: string) {
    this.log = join(directory, reservedName, historyName);
  }

  /** How far the log is; a text that changes when it grows. Never rejects. */
  async look(): Promise<string> {
    try {
      const newest = (await readdir(this.log))
        .filter((name) => name.endsWith('.jsonl'))
        .sort()
        .at(-1);
      return newest === undefined ? '' : `${newest} ${String((await stat(join(this.log, newest))).size)}`;
    } catch {
      return '';
    }
  }

  /** Resolves once the log has grown since a look or it is over; with false, if the server ends. */
  grown(since: string, isOver: () => boolean): Promise<boolean> {
    if (this.isClosed) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.waiting.add({ since, isOver, resolve });
      if (!this.isRunning) void this.watch();
    });
  }

  /** The server ends, or its only client has sent all it will send. */
  close(): void {
    this.isClosed = true;
    for (const { resolve } of this.waiting) resolve(false);
    this.waiting.clear();
  }

  private async watch(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.size > 0) {
      const now = await this.look();
      for (const each of this.waiting) {
        if (each.since === now && !each.isOver()) continue;
        this.waiting.delete(each);
        each.resolve(true);
      }
      if (this.waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    this.isRunning = false;
  }
}
