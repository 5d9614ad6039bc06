/** A tree to search: the packages that npm has installed here, as most projects have them. */
import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileName, fileText, kilobyte, megabyte } from './files.js';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));
/** Packages that are mostly binary, and the benchmark's own programs. */
const leftOut: ReadonlySet<string> = new Set(['.cache', '@vscode', 'binaryen', 'uWebSockets.js']);
/** Below --max-size: this server searches no larger file. */
const mostBytes = 9 * megabyte;

/** Files at the top, for a client that reads while others search. */
export const smallFiles = 400;
/** A package to search before the tree, which loads the code of searches. */
export const smallPackage = 'write-file-atomic';
const changing = 'changing.txt';

/** Fill an empty directory. Afterwards all of it is in the page cache. */
export function makeTree(directory: string): void {
  fill(directory, packages);
  for (let index = 0; index < smallFiles; index++) writeFileSync(join(directory, fileName(index)), fileText(kilobyte));
  changeTree(directory);
}

let version = 0;

/** Change one file. */
export function changeTree(directory: string): void {
  writeFileSync(join(directory, changing), `This is version ${String(++version)}.\n`);
}

function fill(directory: string, from: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(directory, entry.name)];
    if (leftOut.has(entry.name)) continue;
    if (entry.isDirectory()) {
      mkdirSync(target);
      fill(target, source);
    } else if (entry.isFile() && statSync(source).size <= mostBytes) {
      take(source, target);
      readFileSync(target);
    }
  }
}

/** A hard link takes no space. Links to another file system, or to files of another user, may be refused. */
function take(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}
