/**
 * The part of the log that needs pino, in its own file so that it can be loaded late: with a dynamic import of pino
 * itself, the bundler would lose its named exports.
 */
import { pino, type Logger } from 'pino';

/** A logger that writes one JSON line per call, at every level, to `output`. */
export function createLines(output: { write(line: string): void }): Logger {
  return pino(
    {
      level: 'trace',
      base: { pid: process.pid },
      timestamp: false,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
    },
    output,
  );
}
