/** Detects changes of a file on systems where nobody can send SIGHUP (spec 19). */
import { stat, statSync, type Stats } from 'node:fs';

/** A change must be reported within 5 s (spec 19). */
const pauseMs = 2_000;

/**
 * Call `changed` after each change of a file, including removal and re-creation. The current state counts as known: a
 * caller that reads the file after this misses nothing. Does not keep the process alive.
 * @returns a function that stops it
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
