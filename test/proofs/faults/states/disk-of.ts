/** Puts the files of a state on a disk, as they would be found after a reboot. */
import { linkSync, lstatSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { Node } from './effects.js';
import type { Lost } from './lost-power.js';

/** Lines of the history before the machine was started: what was written since is not looked at (history/settle.ts). */
const backMs = uptime() * 1_000 + 86_400_000;
const before = new Date(Date.now() - backMs);

/**
 * @param numbers inode numbers that the files of the model had, by the ids of its nodes: what the server has written of
 *   them gets the numbers of the files that are made here
 */
export function putOnDisk(state: Lost, directory: string, numbers: ReadonlyMap<string, number>): void {
  const made = new Map<number, string>();
  const own: [path: string, node: Node][] = [];
  const put = (path: string, node: Node): void => {
    const other = made.get(node.id);
    if (other !== undefined && node.kind === 'file') {
      linkSync(other, path);
      return;
    }
    made.set(node.id, path);
    if (node.kind === 'link') symlinkSync(node.target ?? '', path);
    else if (node.kind === 'directory') {
      mkdirSync(path, { mode: 0o700 });
      for (const [name, each] of state.entries.get(node.id) ?? []) put(join(path, name), each);
    } else {
      writeFileSync(path, state.bytesOf(node));
      if (isOwn(path)) own.push([path, node]);
    }
  };
  put(directory, state.root);
  const files = new Map([...numbers].map(([number, id]) => [number, made.get(id)]));
  for (const [path, node] of own) {
    writeFileSync(path, renumbered(state.bytesOf(node).toString('latin1'), files), 'latin1');
    utimesSync(path, before, before);
  }
}

/** The log of the history, and the record of changes of several files, also before it has its name. */
function isOwn(path: string): boolean {
  return /\/\.file-editor\/(?:history\/\d+\.jsonl|changes|[0-9a-f]{24}\.tmp)$/.test(path);
}

/** The length stays the same where it can: it is the place of a line that is its id. */
function renumbered(text: string, files: ReadonlyMap<string, string | undefined>): string {
  if (!/^\{"(?:id|version)":/.test(text)) return text;
  return text
    .replace(/"ino":"(\d+)"(?:(,"size":"\d+","mtimeNs":")(\d+))?/g, (_, number: string, size = '', time = '') => {
      const path = files.get(number);
      const stats = path === undefined ? undefined : lstatSync(path, { bigint: true });
      const now = `"ino":"${String(stats?.ino ?? 0)}"`.padEnd(`"ino":"${number}"`.length);
      return `${now}${String(size)}${time === '' ? '' : String(stats?.mtimeNs ?? time)}`;
    })
    .replace(
      /"time":"([^"]{24})"/g,
      (_, time: string) => `"time":"${new Date(Date.parse(time) - backMs).toISOString()}"`,
    );
}
