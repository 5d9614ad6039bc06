import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a command is; undefined if it is not installed. Daemons are in folders that not everyone's PATH includes. */
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
