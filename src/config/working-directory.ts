/** The directory that was given, by a flag or in the environment (contract 1). */
import { isAbsolute, resolve } from 'node:path';
import { quoted } from './arguments.js';
import { checkDirectory, missing, nearestDirectory } from './directory.js';
import type { FlagReader } from './flag-reader.js';
import { flags } from './flags.js';

/** As process.env. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The real path of the directory; '' if there is a problem. */
export function readWorkingDirectory(given: FlagReader, env: Environment, readOnly: boolean): string {
  const expected = `expected an existing directory that this process may ${readOnly ? 'read' : 'read and write'}`;
  let label = given.label(flags.dir);
  let path = given.value(flags.dir);
  if (!given.has(flags.dir)) {
    label = 'BASE_PATH';
    path = env[label];
    if (path === undefined || path === '') {
      given.refuse(
        `${given.label(flags.dir)} argument is required; ${expected}, here or as an absolute path in ${label}`,
      );
      return '';
    }
    if (!isAbsolute(path)) {
      given.refuse(
        `${label}: ${quoted(path)} is not an absolute path; ${expected}; did you mean ${quoted(resolve(path))}?`,
      );
      return '';
    }
  }
  if (path === undefined) return '';
  const whole = resolve(path);
  const checked = checkDirectory(whole, readOnly);
  if ('realPath' in checked) return checked.realPath;
  const beside = checked.problem === missing ? nearestDirectory(whole) : undefined;
  const suggestion = beside === undefined ? '' : `; did you mean ${quoted(beside)}?`;
  given.refuse(`${label}: ${quoted(path)} ${checked.problem}${explainPath(path, whole)}; ${expected}${suggestion}`);
  return '';
}

/** Adds where an unusable path leads, in case its user does not know. */
function explainPath(path: string, whole: string): string {
  // Shells replace it only at the beginning of a word, where it is not in --dir=~/files.
  if (/^~(?:\/|$)/.test(path)) return ' (the shell has not expanded ~ here: write $HOME instead)';
  return isAbsolute(path) || path.length > 100 ? '' : ` (it means ${JSON.stringify(whole)})`;
}
