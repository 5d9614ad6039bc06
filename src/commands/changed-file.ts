/** Tells of changes of a file where nobody can send SIGHUP (spec 19). */
import { stat, statSync, type Stats } from 'node:fs';

/** A change is told within 5 s (spec 19). */
const pauseMs = 2_000;

/**
 * Call `changed` after each change of a file, also when it is removed or put back. What is there now counts as known,
 * so nothing is missed by someone who reads the file after this. Keeps no process alive.
 * @returns ends it
 */
export function whenChanged(path: string, changed: () => void): () => void {
  let known = versionOf(statSync(path, { throwIfNoEntry: false }));
  let ended = false;
  const look = (): void => {
    // Asynchronous, and one at a time: a share that does not answer must neither hold up the main thread nor use up
    // the threads that read files.
    stat(path, (error, found) => {
      if (ended) return;
      const version = versionOf(error === null ? found : undefined);
      const isNew = version !== known;
      known = version;
      wait();
      if (isNew) changed();
    });
  };
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(look, pauseMs).unref();
  };
  wait();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

function versionOf(found: Stats | undefined): string {
  return found === undefined ? '' : [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join();
}
