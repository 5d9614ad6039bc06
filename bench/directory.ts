/** Directories with the files of a workload. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileName, fileText, type Files } from './files.js';
import { makeTree } from './tree.js';

/** Lends directories. Read-only ones are created once, so their files look old to every server. */
export class Directories {
  private readonly made = new Map<Files, string>();
  private madeTree: string | undefined;

  async lend<Result>(
    { files, writes = false }: { readonly files: Files; readonly writes?: boolean },
    use: (directory: string) => Promise<Result>,
  ): Promise<Result> {
    if (!writes) return use(this.kept(files));
    const directory = make(files);
    try {
      return await use(directory);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** The tree for searches (tree.ts), which is made once too. */
  get tree(): string {
    if (this.madeTree === undefined) {
      this.madeTree = temporary();
      makeTree(this.madeTree);
    }
    return this.madeTree;
  }

  private kept(files: Files): string {
    const directory = this.made.get(files) ?? make(files);
    this.made.set(files, directory);
    return directory;
  }

  remove(): void {
    const all = [...this.made.values(), ...(this.madeTree === undefined ? [] : [this.madeTree])];
    for (const directory of all) rmSync(directory, { recursive: true, force: true });
  }
}

/** Counts the lines that appends (workloads.ts) wrote to the files. */
export function countEntries(directory: string): number {
  const names = readdirSync(directory).filter((name) => name.endsWith('.txt'));
  return names
    .map((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
    .reduce((sum, lines) => sum + lines.filter((line) => line.startsWith('Entry ')).length, 0);
}

/** Rewrite every file in place, as an external editor does. */
export function rewriteFiles(directory: string, files: Files): void {
  const texts = new Map([...new Set(files)].map((bytes) => [bytes, fileText(bytes)]));
  for (const [index, bytes] of files.entries()) writeFileSync(join(directory, fileName(index)), texts.get(bytes) ?? '');
}

function make(files: Files): string {
  const directory = temporary();
  rewriteFiles(directory, files);
  return directory;
}

function temporary(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'file-editor-bench-')));
}
