import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Subject } from '../figures.js';
import { run, whileRunning, withRunning } from '../programs/program.js';
import { carefulWriter } from '../programs/programs.js';
import { median, percentile } from '../statistics.js';

/** The output of baselines/careful-writer.ts. */
interface Written {
  readonly latencies: readonly number[];
  readonly took: number;
  readonly processorMs: number;
}

/** The careful writer, with the disk to itself. @param bytes of each file */
export function careful(work: 'edit' | 'append', files: number, bytes: number): Subject {
  const program = carefulWriter(work, files, bytes);
  return {
    name: program.name,
    observe: ({ directories, measureMs }) =>
      directories.lend({ files: [], writes: true }, (directory) =>
        withRunning(run(program, { directory, port: 0, answerBytes: 0 }), async (running) => {
          const line = once(createInterface({ input: running.stdout }), 'line') as Promise<[string]>;
          running.stdin.write(`${String(measureMs)}\n`);
          const [text] = await whileRunning(running, program.name, line);
          const { latencies, took, processorMs } = JSON.parse(text) as Written;
          return {
            rate: (latencies.length / took) * 1000,
            p50: median(latencies),
            p99: percentile(latencies, 0.99),
            cpu: processorMs / latencies.length,
          };
        }),
      ),
  };
}
