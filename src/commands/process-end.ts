/** Process shutdown (spec 1.1): by signal, at the end of stdin, or after a defect. */
import { constants } from 'node:os';
import { platform } from '../core/platform.js';
import type { FlushableLog } from '../observe/log.js';

/** Spec 1.1 allows 2 s for a shutdown; ending the process and its threads takes up to 0.2 s. */
const shutdownMs = 1_500;

const signals = platform.endSignals;

/** The signal numbers of this system. */
const numbers: Readonly<Partial<Record<string, number>>> = constants.signals;

/** Closed before the process ends. */
interface Closing {
  close(): Promise<void>;
  /** Whether threads are in a call. */
  isBusy(): boolean;
}

interface ProcessEnd {
  /** Exit with code 0, after closing the server if it has started. */
  readonly end: () => Promise<void>;
  /** Registers the started server. */
  readonly serves: (server: Closing) => void;
}

/**
 * Install the handlers: the first signal to end shuts down in order, the second ends the process immediately; an
 * uncaught exception ends it with code 1.
 */
export function superviseProcess(log: FlushableLog): ProcessEnd {
  let server: Closing | undefined;
  let signalled = false;
  let ending = false;

  async function end(): Promise<void> {
    if (ending) return;
    ending = true;
    setTimeout(() => {
      // Neither clients that do not read their answers nor a disk that hangs may keep the process alive.
      exit(0);
    }, shutdownMs);
    await server?.close();
    await log.flush();
    // All workers have ended, so only a call of the main thread itself can delay the exit. A first signal that arrives
    // now, after the end of stdin, must not change the exit code: the handlers stay installed, and the signal goes
    // unhandled.
    if (signalled) exit(0);
    process.exit(0);
  }

  for (const signal of signals) {
    process.on(signal, () => {
      if (signalled) endAtOnce(signal, server?.isBusy() === true);
      signalled = true;
      log.info({ signal }, 'shutting down');
      // It may be ending already: a client that closes stdin and then sends a signal sends only one.
      void end();
    });
  }
  // Node prints its own warnings as plain text, but stderr carries JSON lines.
  process.removeAllListeners('warning').on('warning', (error) => {
    log.warn({ error }, 'runtime warning');
  });
  // Includes unhandled rejections.
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
 * Node's exit waits for every thread, and a thread blocked on a disk does not end; a process killed by the signal
 * itself is gone. As process 1 of a container it ignores its own signals and then exits. Windows has no signals: Node
 * emulates some, and each kills.
 */
function endAtOnce(signal: (typeof signals)[number], isBusy: boolean): never {
  leaveSignals();
  if (isBusy) process.kill(process.pid, platform.canSendSighup ? signal : 'SIGKILL');
  process.exit(128 + (numbers[signal] ?? 0));
}

/** Once exit waits for a thread, no handler runs any more, so the next signal must kill. */
function exit(code: number): never {
  leaveSignals();
  process.exit(code);
}

/** Restore the system's default signal handling. */
function leaveSignals(): void {
  for (const signal of signals) process.removeAllListeners(signal);
}
