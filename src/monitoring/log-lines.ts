/**
 * The part of the log that needs pino, apart so that it can be loaded late: imported dynamically, pino itself
 * would come out of the bundler without its named exports.
 */
import { pino, type Logger } from 'pino';

/** Makes a JSON line of each call and hands it to `output`; lets every level pass. */
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
