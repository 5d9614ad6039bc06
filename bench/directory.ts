/** Directories with the files of a workload. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileName, fileText, type Workload } from './workloads.js';

/** Lends directories; those that are only read are made once, so that their files are no news to any server. */
export class Directories {
  private readonly made = new Map<string, string>();

  async lend<Result>(workload: Workload, use: (directory: string) => Promise<Result>): Promise<Result> {
    if (!workload.writes) return use(this.kept(workload));
    const directory = make(workload);
    try {
      return await use(directory);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  private kept(workload: Workload): string {
    const directory = this.made.get(workload.name) ?? make(workload);
    this.made.set(workload.name, directory);
    return directory;
  }

  remove(): void {
    for (const directory of this.made.values()) rmSync(directory, { recursive: true, force: true });
  }
}

/** How many lines that appends wrote (workloads.ts) are in the files. */
export function countEntries(directory: string): number {
  const names = readdirSync(directory).filter((name) => name.endsWith('.txt'));
  return names
    .map((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
    .reduce((sum, lines) => sum + lines.filter((line) => line.startsWith('Entry ')).length, 0);
}

function make({ files }: Workload): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'file-editor-bench-')));
  const text = fileText(files.bytes);
  for (let index = 0; index < files.count; index++) writeFileSync(join(directory, fileName(index)), text);
  return directory;
}
