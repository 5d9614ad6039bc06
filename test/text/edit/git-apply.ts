import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';

export interface TreeFile {
  readonly bytes: Buffer;
  /** As `stat` tells it, but of the permissions only whether it may be executed. */
  readonly mode: number;
}

/** Files and links by their path. */
export type Tree = ReadonlyMap<string, TreeFile>;

export const plainMode = 0o100_644;
export const executableMode = 0o100_755;
export const linkMode = 0o120_777;

const root = mkdtempSync(join(tmpdir(), 'git-apply-'));
after(() => rmSync(root, { recursive: true }));
let count = 0;

/** What `git apply` makes of a tree; with `index`, of one that is committed to a repository. @throws what git says */
export function gitApplied(tree: Tree, diff: string, index = false): Tree {
  const folder = join(root, String(++count));
  mkdirSync(folder);
  const git = (...args: readonly string[]): void => {
    const own = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: root };
    execFileSync('git', args, { cwd: folder, stdio: 'pipe', env: { ...process.env, ...own } });
  };
  write(folder, tree);
  const patch = join(root, `${count}.patch`);
  writeFileSync(patch, diff);
  if (index) {
    git('init', '--quiet');
    git('add', '--all', '--force');
  }
  git('apply', '--whitespace=nowarn', ...(index ? ['--index'] : []), patch);
  return treeIn(folder);
}

function write(folder: string, tree: Tree): void {
  for (const [path, { bytes, mode }] of tree) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (mode === linkMode) symlinkSync(bytes.toString(), file);
    else {
      writeFileSync(file, bytes);
      chmodSync(file, mode & 0o777);
    }
  }
}

function treeIn(folder: string): Tree {
  const tree = new Map<string, TreeFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length + 1);
    if (entry.isDirectory() || path.startsWith('.git/')) continue;
    if (entry.isSymbolicLink()) tree.set(path, { bytes: Buffer.from(readlinkSync(file)), mode: linkMode });
    else {
      const mayExecute = (lstatSync(file).mode & 0o100) !== 0;
      tree.set(path, { bytes: readFileSync(file), mode: mayExecute ? executableMode : plainMode });
    }
  }
  return tree;
}
