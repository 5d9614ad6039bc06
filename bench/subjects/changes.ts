/** The same edits of several files: in one call, as one call for each file, and written by a program that only writes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileName, fileText, kilobyte, lineBytes, type Files } from '../files.js';
import type { Subject } from '../figures.js';
import { run, withRunning } from '../programs/program.js';
import { stdioServer } from '../programs/programs.js';
import { median } from '../statistics.js';
import { StdioTalk, type Message } from './stdio-talk.js';
import { careful } from './writer.js';

/** Every file has this line once; edits change it. */
const editedLine = 5;
const warmUp = 5;

/** @param count of files of 4 kB */
export function changesOf(count: number): { together: Subject; oneByOne: Subject; careful: Subject } {
  const names = Array.from({ length: count }, (_, index) => fileName(index));
  const writer = careful('edit', count, 4 * kilobyte);
  return {
    together: editing(names, (version) => [
      { method: 'apply_changes', params: { changes: names.map((path) => ({ path, edits: [edit(version)] })) } },
    ]),
    oneByOne: editing(names, (version) =>
      names.map((path) => ({ method: 'apply_edits', params: { path, edits: [edit(version)] } })),
    ),
    careful: {
      ...writer,
      observe: async (bench) => {
        const { p50 = NaN } = await writer.observe(bench);
        return { p50: count * p50 };
      },
    },
  };
}

function edit(version: number): { readonly old_string: string; readonly new_string: string } {
  return { old_string: lineOf(version), new_string: lineOf(version + 1) };
}

function lineOf(version: number): string {
  return `Version ${String(version)} of this line`.padEnd(lineBytes - 1, '.');
}

/** @param calls that edit each file once, sent one after the other */
function editing(names: readonly string[], calls: (version: number) => readonly Message[]): Subject {
  const program = stdioServer('--toolset=all', '--durability=full');
  const files: Files = names.map(() => 4 * kilobyte);
  return {
    name: program.name,
    observe: ({ directories, measureMs }) =>
      directories.lend({ files, writes: true }, async (directory) => {
        for (const [index, bytes] of files.entries()) {
          const lines = fileText(bytes).split('\n');
          lines[editedLine - 1] = lineOf(0);
          writeFileSync(join(directory, fileName(index)), lines.join('\n'));
        }
        return withRunning(run(program, { directory, port: 0, answerBytes: 0 }), async (running) => {
          const talk = new StdioTalk(running);
          const times: number[] = [];
          let version = 0;
          const round = async (): Promise<number> => {
            const messages = calls(version++);
            const asked = performance.now();
            for (const message of messages) await talk.ask(message);
            return performance.now() - asked;
          };
          while (version < warmUp) await round();
          for (const end = performance.now() + measureMs; performance.now() < end;) times.push(await round());
          return { p50: median(times) };
        });
      }),
  };
}
