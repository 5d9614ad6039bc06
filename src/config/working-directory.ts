/** Reads the working directory from its flag or the environment (spec 1). */
import { isAbsolute, resolve } from 'node:path';
import { quoted } from './arguments.js';
import type { Config } from './config.js';
import { checkDirectory, missing, nearestDirectory } from './directory.js';
import type { FlagReader } from './flag-reader.js';
import { flags } from './flags.js';

/** The type of process.env. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Paths of the directory: the real one, and the given one made absolute. */
type Paths = Pick<Config, 'directory' | 'givenDirectory'>;

const none: Paths = { directory: '', givenDirectory: '' };

/** Both are empty if there is a problem. */
export function readWorkingDirectory(given: FlagReader, env: Environment, readOnly: boolean): Paths {
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
      return none;
    }
    if (!isAbsolute(path)) {
      given.refuse(
        `${label}: ${quoted(path)} is not an absolute path; ${expected}; did you mean ${quoted(resolve(path))}?`,
      );
      return none;
    }
  }
  if (path === undefined) return none;
  const whole = resolve(path);
  const checked = checkDirectory(whole, readOnly);
  if ('realPath' in checked) return { directory: checked.realPath, givenDirectory: whole };
  const beside = checked.problem === missing ? nearestDirectory(whole) : undefined;
  const suggestion = beside === undefined ? '' : `; did you mean ${quoted(beside)}?`;
  given.refuse(`${label}: ${quoted(path)} ${checked.problem}${explainPath(path, whole)}; ${expected}${suggestion}`);
  return none;
}

/** Adds the absolute path of an unusable relative one, which its user may not know. */
function explainPath(path: string, whole: string): string {
  // Shells expand ~ only at the beginning of a word, so not in --dir=~/files.
  if (/^~(?:\/|$)/.test(path)) return ' (the shell has not expanded ~ here: write $HOME instead)';
  return isAbsolute(path) || path.length > 100 ? '' : ` (resolved to ${JSON.stringify(whole)})`;
}
