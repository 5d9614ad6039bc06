/**
 * JSON lines on stderr (spec 1.1). pino is loaded after the first line (10 ms; 17 unbundled), and stderr is opened then
 * (1 to 3 ms), so neither the start nor the first answer waits for them. Until then lines are queued in order. If pino
 * cannot be loaded, for example because file descriptors have run out, as the first line may report, the lines are
 * formatted here.
 *
 * Lines go through Node's stream rather than a synchronous write: if a client never reads the server's stderr, the pipe
 * fills up after 64 KB, and the next synchronous write would block the main thread for ever. Beyond a limit of unread
 * bytes, lines are dropped and counted.
 */
import type { Writable } from 'node:stream';
import { withoutBreaks } from '../core/json/json-of.js';
import { settledWithin } from '../settled-within.js';

/** From the most to the least verbose. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

type Severity = Exclude<LogLevel, 'silent'>;
type Fields = Readonly<Record<string, unknown>>;
type Write = (fields: Fields, message: string) => void;

/** Takes fields for programs, then a message for people. */
export type Log = Readonly<Record<Severity, Write>>;

export interface FlushableLog extends Log {
  /** Resolves once all lines so far have been handed to the system, or after half a second if stderr is not read. */
  flush(): Promise<void>;
}

/** Destination of lines. */
interface Sink {
  write(line: string): void;
}

type CreateLines = (sink: Sink) => Log;

/** Limit of unread bytes. */
const maxWaiting = 1_048_576;
const flushMs = 500;
/**
 * Delay in milliseconds after the first line, which reports the start: a client waiting for it sends a request
 * immediately.
 */
const restMs = 30;

const loadPino = async (): Promise<CreateLines> => (await import('./log-lines.js')).createLines;

/** A log of lines from `level` up; suppressed ones cost next to nothing. */
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
    // Without a listener, the loss of the reader would end the process.
    stream.on('error', () => undefined);
    output = stream;
    const sink = boundedSink(stream);
    try {
      logger = (await loadLines())(sink);
    } catch (error) {
      // Permanent: these lines carry the same fields.
      logger = createPlainLines(sink);
      writer('warn')({ error }, 'pino could not be loaded; logging continues without it');
    }
    for (const write of kept.splice(0)) write();
  }

  function writer(severity: Severity): Write {
    if (logLevels.indexOf(severity) < logLevels.indexOf(level)) return () => undefined;
    return (fields, message) => {
      // Timestamped here, since a queued line is written later.
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

/** Formats lines as pino does. */
function createPlainLines(sink: Sink): Log {
  return eachSeverity((severity) => (fields, message) => {
    sink.write(plainLine(severity, fields, message));
  });
}

function plainLine(level: Severity, fields: Fields, message: string): string {
  const line = { level, pid: process.pid, time: new Date().toISOString(), ...fields, msg: message };
  return `${JSON.stringify(line, (_, value: unknown) => (value instanceof Error ? plainError(value) : value))}\n`;
}

/** Only these members: others may be circular. */
function plainError(error: Error): Fields {
  const code = 'code' in error ? { code: String(error.code) } : {};
  return { type: error.constructor.name, message: error.message, stack: error.stack, ...code };
}

/** Forwards lines while the reader keeps up. */
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
