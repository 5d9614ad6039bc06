/** Changes of several files whose process was killed after it had decided them, as it left them on the disk. */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../reliability/client.js';

const reserved = '.file-editor';
const record = join(reserved, 'changes');

export function isAbandoned(directory: string): boolean {
  return existsSync(join(directory, record));
}

/**
 * Copy the files of a place, and what belongs to their changes. The record identifies files by their numbers, so that of
 * the copy gets those of the copied files.
 * @param at common prefix of the files
 */
export function copyAbandoned(from: string, to: string, at: string): void {
  mkdirSync(join(to, reserved), { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from)) if (name.startsWith(at)) copy(from, to, name);
  for (const name of readdirSync(join(from, reserved))) {
    if (!name.endsWith('.lock')) copy(from, to, join(reserved, name));
  }
  const numbers = new Map(
    // The record last: until its temporary name is removed, its file has two, and of the copy each is a file of its own.
    [...pathsBelow(from, at), ...pathsBelow(from, reserved), record].map((path) => [
      numberOf(join(from, path)),
      join(to, path),
    ]),
  );
  const steps: unknown = JSON.parse(readFileSync(join(to, record), 'utf8'), (_, value: unknown) =>
    isRecord(value) && typeof value['ino'] === 'string' ? renumbered(value, numbers.get(value['ino'])) : value,
  );
  writeFileSync(join(to, record), JSON.stringify(steps));
}

/** @param copied path of the copy of what it identifies, if that is still there */
function renumbered(identity: Readonly<Record<string, unknown>>, copied: string | undefined): unknown {
  if (copied === undefined) return { ...identity, ino: '0' };
  const entry = entryOf(copied);
  return Object.fromEntries(
    Object.entries(identity).map(([name, value]) => [
      name,
      Object.hasOwn(entry, name) ? Reflect.get(entry, name) : value,
    ]),
  );
}

function copy(from: string, to: string, name: string): void {
  cpSync(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

function pathsBelow(directory: string, at: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.startsWith(at));
}

function numberOf(path: string): string {
  return String(lstatSync(path, { bigint: true }).ino);
}

function entryOf(path: string): { readonly ino: string; readonly size: string; readonly mtimeNs: string } {
  const { ino, size, mtimeNs } = lstatSync(path, { bigint: true });
  return { ino: String(ino), size: String(size), mtimeNs: String(mtimeNs) };
}
