/** How the process of a server ends (spec 1.1): by signals, by the end of its input, or by a defect. */
import { constants } from 'node:os';
import type { FlushableLog } from '../observe/log.js';

/** Spec 1.1 allows a shutdown 2 s, of which ending the process and its threads takes up to 0.2. */
const shutdownMs = 1_500;

const signals = ['SIGTERM', 'SIGINT'] as const;

/** What is taken apart before the process ends. */
interface Closing {
  close(): Promise<void>;
  /** Whether threads are in a call. */
  isBusy(): boolean;
}

interface ProcessEnd {
  /** End with exit code 0, after closing the server if it has started. */
  readonly end: () => Promise<void>;
  /** The server has started. */
  readonly serves: (server: Closing) => void;
}

/**
 * From now on SIGTERM and SIGINT end this process in order, the second one at once; an uncaught exception ends it with
 * 1.
 */
export function superviseProcess(log: FlushableLog): ProcessEnd {
  let server: Closing | undefined;
  let signalled = false;
  let ending = false;

  async function end(): Promise<void> {
    if (ending) return;
    ending = true;
    setTimeout(() => {
      // Neither clients that do not take their answers nor a disk that hangs may keep the process alive.
      exit(0);
    }, shutdownMs);
    await server?.close();
    await log.flush();
    // All workers have ended, so what holds the exit up can only be a call of the main thread's own. A first signal
    // that comes now, behind the end of stdin, must not end the process otherwise: the handlers stay, and it is not
    // heard.
    if (signalled) exit(0);
    process.exit(0);
  }

  for (const signal of signals) {
    process.on(signal, () => {
      if (signalled) endAtOnce(signal, server?.isBusy() === true);
      signalled = true;
      log.info({ signal }, 'shutting down');
      // It may be ending already, after its input: whoever closes that and sends a signal behind it sends one.
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
    void log.flush().finally(() => exit(1));
  });
  return {
    end,
    serves: (started) => {
      server = started;
    },
  };
}

/**
 * Node's exit waits for every thread, and a thread that waits for a disk does not end: killed by the signal itself, the
 * process is gone. As process 1 of a container it is not killed by its own signals, and then exits.
 */
function endAtOnce(signal: (typeof signals)[number], isBusy: boolean): never {
  leaveSignals();
  if (isBusy) process.kill(process.pid, signal);
  process.exit(128 + constants.signals[signal]);
}

/** If a thread keeps the exit waiting, no handler runs any more, so the next signal has to kill. */
function exit(code: number): never {
  leaveSignals();
  process.exit(code);
}

/** From now on the system does with signals what it does with those of any process. */
function leaveSignals(): void {
  for (const signal of signals) process.removeAllListeners(signal);
}
