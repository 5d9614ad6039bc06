/**
 * JSON lines on stderr (spec 1.1). pino is loaded after the first line (10 ms; 17 unbundled), and stderr is opened
 * then (1 to 3 ms): neither the start nor the first answer waits for that. Until then lines are kept, in order. The
 * first line may say that no more files can be opened, pino's included: then the lines are made here.
 *
 * They go through Node's stream rather than a synchronous descriptor: if a client never reads the stderr of its server,
 * the pipe is full after 64 KB, and the next synchronous write would stop the main thread for ever. Lines that the
 * reader does not take are dropped beyond a bound, and counted.
 */
import type { Writable } from 'node:stream';
import { withoutBreaks } from '../core/json/json-of.js';
import { settledWithin } from '../settled-within.js';

/** From the most to the least that is told. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

type Severity = Exclude<LogLevel, 'silent'>;
type Fields = Readonly<Record<string, unknown>>;
type Write = (fields: Fields, message: string) => void;

/** Takes what programs read, then what people read. */
export type Log = Readonly<Record<Severity, Write>>;

export interface FlushableLog extends Log {
  /** Resolves once every line so far has been handed to the system, or after half a second: nobody may be reading. */
  flush(): Promise<void>;
}

/** Where lines go. */
interface Sink {
  write(line: string): void;
}

type CreateLines = (sink: Sink) => Log;

/** Bytes of lines that may wait for a reader. */
const maxWaiting = 1_048_576;
const flushMs = 500;
/** Milliseconds after the first line, which reports the start: whoever waits for that sends a request at once. */
const restMs = 30;

const loadPino = async (): Promise<CreateLines> => (await import('./log-lines.js')).createLines;

/** A log of lines of at least `level`; the others cost next to nothing. */
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
      // For good: the lines made here say the same.
      logger = createPlainLines(sink);
      writer('warn')({ error }, 'pino could not be loaded; the log goes on without it');
    }
    for (const write of kept.splice(0)) write();
  }

  function writer(severity: Severity): Write {
    if (logLevels.indexOf(severity) < logLevels.indexOf(level)) return () => undefined;
    return (fields, message) => {
      // Taken here, since a line that is kept is written later.
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
      await settledWithin(handedOver, flushMs);
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

/** Makes the lines that pino would. */
function createPlainLines(sink: Sink): Log {
  return eachSeverity((severity) => (fields, message) => {
    sink.write(plainLine(severity, fields, message));
  });
}

function plainLine(level: Severity, fields: Fields, message: string): string {
  const line = { level, pid: process.pid, time: new Date().toISOString(), ...fields, msg: message };
  return `${JSON.stringify(line, (_, value: unknown) => (value instanceof Error ? plainError(value) : value))}\n`;
}

/** No other members of an error: they could lead in a circle. */
function plainError(error: Error): Fields {
  const code = 'code' in error ? { code: String(error.code) } : {};
  return { type: error.constructor.name, message: error.message, stack: error.stack, ...code };
}

/** Passes lines on as long as the reader keeps up. */
function boundedSink(output: Writable): Sink {
  let dropped = 0;
  return {
    write(made) {
      const line = withoutBreaks(made);
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
