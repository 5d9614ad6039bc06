import { Glob, GlobFault } from '../../src/core/globs/glob.js';
import { relativeTo } from '../../src/core/names/filename.js';
import { plainNames } from '../../src/core/names/path.js';
import type { WorkerSetup } from '../../src/core/thread/task.js';

/** The parameters of a search by name. */
export interface Asked {
  /** The parameter that holds the pattern. */
  readonly parameter: 'pattern' | 'glob';
  readonly text: string;
  /** Of the directory or file to search, as the caller wrote it. */
  readonly path: string;
  readonly hidden: boolean;
  readonly ignored: boolean;
}

/** @throws OperationError invalid_params */
export function globOf({ parameter, text, path, hidden }: Asked, setup: WorkerSetup): Glob {
  const relative = relativeForm(text, path, setup);
  if (relative !== undefined) {
    throw new GlobFault('begins with the working directory', `A pattern is relative to path. Send ${relative}.`).in(
      parameter,
    );
  }
  return Glob.parse(parameter, text, hidden);
}

/** What to send for a pattern that begins with the working directory; undefined for any other. */
function relativeForm(
  text: string,
  path: string,
  { directory, givenDirectory = directory }: WorkerSetup,
): string | undefined {
  const mark = text.startsWith('!') ? '!' : '';
  const below = relativeTo([directory, givenDirectory], text.slice(mark.length));
  if (below === undefined) return undefined;
  const rest = below === '' || text.endsWith('/') ? `${below}/**`.replace(/^\//, '') : below;
  const prefix = `${plainNames(path).join('/')}/`;
  if (prefix === '/') return mark + rest;
  return rest.startsWith(prefix) ? mark + rest.slice(prefix.length) : `${mark}${rest}, without path`;
}
