/** How the process of a server ends (contract 1.1): by signals, by the end of its input, or by a defect. */
import { constants } from 'node:os';
import type { FlushableLog } from '../monitoring/log.js';

/** The contract allows a shutdown 2 s, of which ending the process and its threads takes up to 0.2. */
const shutdownMs = 1_500;

interface ProcessEnd {
  /** End with exit code 0, after `close` if the server has started. */
  readonly end: () => Promise<void>;
  /** The server has started, and this takes it apart. */
  readonly closeWith: (close: () => Promise<void>) => void;
}

/**
 * From now on SIGTERM and SIGINT end this process in order, the second one at once; an uncaught exception ends it with
 * 1.
 */
export function superviseProcess(log: FlushableLog): ProcessEnd {
  let close = (): Promise<void> => Promise.resolve();
  let ending = false;

  async function end(): Promise<void> {
    ending = true;
    setTimeout(() => {
      // Neither clients that do not take their answers nor a disk that hangs may keep the process alive.
      process.exit(0);
    }, shutdownMs);
    await close();
    await log.flush();
    process.exit(0);
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (ending) process.exit(128 + constants.signals[signal]);
      log.info({ signal }, 'shutting down');
      void end();
    });
  }
  // Node writes its own warnings as plain text, but stderr is JSON lines.
  process.removeAllListeners('warning').on('warning', (error) => {
    log.warn({ error }, 'warning of the runtime');
  });
  // Unhandled rejections arrive here too.
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'uncaught exception');
    void log.flush().finally(() => process.exit(1));
  });
  return {
    end,
    closeWith: (action) => {
      close = action;
    },
  };
}
