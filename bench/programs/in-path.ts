import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Path of a command; undefined if it is not installed. Daemons live in folders that some users' PATH omits. */
export function inPath(command: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
