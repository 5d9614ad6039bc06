import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

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
