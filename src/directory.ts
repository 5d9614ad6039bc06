/** Checks the working directory before anything starts. Nothing is created or changed. */
import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Holds temporary files and locks (contract 6); made by the first write. */
const reserved = '.file-editor';

const mayUse = constants.R_OK | constants.X_OK;

/** The real path of `path`, or what is wrong with it, in words that follow "the directory". */
export function checkDirectory(path: string, readOnly: boolean): { realPath: string } | { problem: string } {
  let realPath: string;
  try {
    realPath = realpathSync.native(path);
    if (!statSync(realPath).isDirectory()) return { problem: 'is not a directory' };
  } catch (error) {
    return { problem: errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be reached (${errorCode(error)})` };
  }
  try {
    accessSync(realPath, mayUse);
  } catch (error) {
    return { problem: `is not readable for this process (${errorCode(error)})` };
  }
  if (readOnly) return { realPath };
  try {
    accessSync(realPath, mayUse | constants.W_OK);
  } catch (error) {
    return { problem: `is not writable for this process (${errorCode(error)}); accepted with --read-only` };
  }
  const obstacle = reservedObstacle(join(realPath, reserved));
  return obstacle === undefined
    ? { realPath }
    : { problem: `holds ${reserved}, which ${obstacle}; remove it, or start with --read-only` };
}

function reservedObstacle(path: string): string | undefined {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return 'is a link';
    if (!stat.isDirectory()) return 'is not a directory';
    accessSync(path, mayUse | constants.W_OK);
    return undefined;
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : `this process cannot write (${errorCode(error)})`;
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
