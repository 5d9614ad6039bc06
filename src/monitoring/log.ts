/**
 * JSON lines on stderr (contract 1.1). pino is loaded after the first line, 10 ms (17 ms unbundled), and stderr is
 * opened then, 1 to 3 ms: neither a start nor the first answer waits for that. Until then lines are kept, in order.
 * The first line may well be that no file can be opened any more, not even pino's: then lines are made here.
 *
 * The lines go through Node's stream and not through a synchronous descriptor: a client that never reads the
 * stderr of its server fills the pipe after 64 KB, and the next synchronous write would stop the main thread for
 * ever. What a reader does not take is dropped beyond a bound, and counted.
 */
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { logLevels } from '../config/flags.js';

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

/** Where lines go. */
interface Sink {
  write(line: string): void;
}

type CreateLines = (sink: Sink) => Log;

/** Lines waiting for a reader, in bytes. */
const maxWaiting = 1_048_576;
const flushMs = 500;
/** Milliseconds after the first line, which is that of the start: whoever waits for that asks something at once. */
const restMs = 30;

const loadPino = async (): Promise<CreateLines> => (await import('./log-lines.js')).createLines;

/** A log that writes lines of at least `level`, and costs next to nothing for the others. */
export function createLog(
  level: LogLevel,
  openOutput = (): Writable => process.stderr,
  loadLines: () => Promise<CreateLines> = loadPino,
): FlushableLog {
  const kept: (() => void)[] = [];
  let output: Writable | undefined;
  let logger: Log | undefined;
  let loading: Promise<void> | undefined;
  let hurry = (): void => undefined;

  async function load(): Promise<void> {
    await new Promise<void>((resolve) => {
      hurry = resolve;
      setTimeout(resolve, restMs);
    });
    const stream = openOutput();
    // Without a listener, a reader that goes away would end the process.
    stream.on('error', () => undefined);
    output = stream;
    const sink = boundedSink(stream);
    try {
      logger = (await loadLines())(sink);
    } catch (error) {
      // For good: its lines say the same.
      logger = createPlainLines(sink);
      writer('warn')({ error }, 'pino could not be loaded; the log goes on without it');
    }
    for (const write of kept.splice(0)) write();
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
    ...eachSeverity(writer),
    async flush() {
      hurry();
      await loading;
      const stream = output;
      if (stream === undefined || stream.writableLength === 0 || stream.destroyed) return;
      const handedOver = new Promise((resolve) => stream.write('', resolve));
      await Promise.race([handedOver, pause(flushMs)]);
    },
  };
}

function eachSeverity(writer: (severity: Severity) => Write): Log {
  return {
    trace: writer('trace'),
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    fatal: writer('fatal'),
  };
}

/** What pino makes of a call. */
function createPlainLines(sink: Sink): Log {
  return eachSeverity((severity) => (fields, message) => {
    sink.write(plainLine(severity, fields, message));
  });
}

function plainLine(level: Severity, fields: Fields, message: string): string {
  const line = { level, pid: process.pid, time: new Date().toISOString(), ...fields, msg: message };
  return `${JSON.stringify(line, (_, value: unknown) => (value instanceof Error ? plainError(value) : value))}\n`;
}

/** Nothing else that an error may hold: it could lead in a circle. */
function plainError(error: Error): Fields {
  const code = 'code' in error ? { code: String(error.code) } : {};
  return { type: error.constructor.name, message: error.message, stack: error.stack, ...code };
}

/** Passes lines on while the reader keeps up. */
function boundedSink(output: Writable): Sink {
  let dropped = 0;
  return {
    write(line) {
      if (output.writableLength + line.length > maxWaiting) {
        dropped += 1;
        return;
      }
      if (dropped > 0) {
        output.write(plainLine('warn', { dropped }, 'log lines were dropped: nobody read them'));
        dropped = 0;
      }
      output.write(line);
    },
  };
}
