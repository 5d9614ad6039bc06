/**
 * The part of the log that needs pino, in a file of its own so that it can be loaded late: if pino itself were imported
 * dynamically, the bundler would lose its named exports.
 */
import { pino, type Logger } from 'pino';

/** Makes a JSON line of each call, at every level, and hands it to `output`. */
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
