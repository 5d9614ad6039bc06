import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The content at and below some paths: text of files, `-> target` of links, null for directories. A placeholder, the
 * link that reserves a name briefly (workers/disk/paths/placeholder.ts), is recognized by its target.
 */
export type Tree = Readonly<Record<string, string | null>>;

const placeholder = '-> .file-editor/moving/here';

/** @param prefix of the names in `directory` to read */
export function treeOf(directory: string, prefix: string): Tree {
  const tree: Record<string, string | null> = {};
  const look = (path: string): void => {
    const at = join(directory, path);
    const stats = lstatSync(at);
    if (stats.isDirectory()) {
      tree[path] = null;
      for (const name of readdirSync(at).sort()) look(`${path}/${name}`);
    } else {
      tree[path] = stats.isSymbolicLink() ? `-> ${readlinkSync(at)}` : readFileSync(at, 'utf8');
    }
  };
  for (const name of readdirSync(directory).sort()) if (name.startsWith(prefix)) look(name);
  return tree;
}

const future = new Date('2100-01-01T00:00:00.5Z');

/** @param young whether the files look freshly written */
export function putTree(directory: string, tree: Tree, young: boolean): void {
  for (const [name, content] of Object.entries(tree)) {
    const path = join(directory, name);
    mkdirSync(content === null ? path : dirname(path), { recursive: true });
    if (content === null) continue;
    if (content.startsWith('-> ')) {
      symlinkSync(content.slice(3), path);
      continue;
    }
    writeFileSync(path, content);
    if (young) utimesSync(path, future, future);
  }
}

/** Without what a killed process may leave behind: empty directories and placeholders. */
export function withoutLitter(tree: Tree): Tree {
  const content = Object.entries(withoutPlaceholders(tree));
  const kept = content.filter(([path, text]) => text !== null || isUsed(path, content));
  return Object.fromEntries(kept);
}

export function withoutPlaceholders(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([, text]) => text !== placeholder));
}

function isUsed(directory: string, entries: readonly (readonly [string, string | null])[]): boolean {
  return entries.some(([path, text]) => text !== null && path.startsWith(`${directory}/`));
}

export function sameTree(a: Tree, b: Tree): boolean {
  const sorted = (tree: Tree): string => JSON.stringify(Object.entries(tree).sort(([x], [y]) => (x < y ? -1 : 1)));
  return sorted(a) === sorted(b);
}

/** The files and links of a tree, without placeholders. */
export function filesOf(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([, text]) => text !== null && text !== placeholder));
}
