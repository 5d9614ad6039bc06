/**
 * JSON lines on stderr (contract 1.1). pino is loaded when the first line is written, 10 ms (17 ms unbundled), and
 * stderr is opened then, 1 to 3 ms: no start waits for either. Until then lines are kept, in order.
 *
 * The lines go through Node's stream and not through a synchronous descriptor: a client that never reads the
 * stderr of its server fills the pipe after 64 KB, and the next synchronous write would stop the main thread for
 * ever. What a reader does not take is dropped beyond a bound, and counted.
 */
import type { Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { logLevels } from './flags.js';

export type LogLevel = (typeof logLevels)[number];
type Severity = Exclude<LogLevel, 'silent'>;
type Fields = Readonly<Record<string, unknown>>;
type Write = (fields: Fields, message: string) => void;

/** Each takes what a program reads, then what a person reads. */
export type Log = Readonly<Record<Severity, Write>>;

export interface FlushableLog extends Log {
  /** Resolves when every line so far was handed to the system, or after half a second: nobody may be reading. */
  flush(): Promise<void>;
}

/** Lines waiting for a reader, in bytes. */
const maxWaiting = 1_048_576;
const flushMs = 500;

/** A log that writes lines of at least `level`, and costs next to nothing for the others. */
export function createLog(level: LogLevel, openOutput = (): Writable => process.stderr): FlushableLog {
  const kept: (() => void)[] = [];
  let output: Writable | undefined;
  let logger: Logger | undefined;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    // Not before the start has been announced: in a bundle nothing else would put the import off.
    await setImmediate();
    const stream = openOutput();
    // Without a listener, a reader that goes away would end the process.
    stream.on('error', () => undefined);
    output = stream;
    try {
      const { createLines } = await import('./log-lines.js');
      logger = createLines(boundedSink(stream));
      for (const write of kept.splice(0)) write();
    } catch (error) {
      stream.write(`The log cannot be written: ${String(error)}\n`);
    }
  }

  function writer(severity: Severity): Write {
    if (logLevels.indexOf(severity) < logLevels.indexOf(level)) return () => undefined;
    return (fields, message) => {
      // Taken here: a kept line is written later than it happened.
      const dated = { time: new Date().toISOString(), ...fields };
      if (logger !== undefined) logger[severity](dated, message);
      else kept.push(() => logger?.[severity](dated, message));
      loading ??= load();
    };
  }

  return {
    trace: writer('trace'),
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    fatal: writer('fatal'),
    async flush() {
      await loading;
      const stream = output;
      if (stream === undefined || stream.writableLength === 0 || stream.destroyed) return;
      const handedOver = new Promise((resolve) => stream.write('', resolve));
      await Promise.race([handedOver, setTimeout(flushMs)]);
    },
  };
}

/** Passes lines on while the reader keeps up. */
function boundedSink(output: Writable): { write(line: string): void } {
  let dropped = 0;
  return {
    write(line) {
      if (output.writableLength + line.length > maxWaiting) {
        dropped += 1;
        return;
      }
      if (dropped > 0) {
        const fields = { level: 'warn', time: new Date().toISOString(), pid: process.pid, dropped };
        output.write(`${JSON.stringify({ ...fields, msg: 'log lines were dropped: nobody read them' })}\n`);
        dropped = 0;
      }
      output.write(line);
    },
  };
}
