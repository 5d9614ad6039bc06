/** Freeing memory that V8 leaves alone, since it is outside of its heap: to the collector, that is a number. */
import { createRequire } from 'node:module';
import type V8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel } from 'node:worker_threads';

/** A port that is closed: what is moved to it is gone. */
let nowhere: MessageChannel['port1'] | undefined;

/**
 * Give memory back to the system now, whatever still refers to it: it is empty then. The collector, to which memory
 * outside of its heap is a number, lets it pile up: six rounds of 8 clients that each replaced 4 MB left 320 MB. Takes
 * 5 µs.
 */
export function freeMemory(memory: readonly ArrayBuffer[]): void {
  if (memory.length === 0) return;
  if (nowhere === undefined) {
    nowhere = new MessageChannel().port1;
    nowhere.close();
  }
  nowhere.postMessage(null, memory);
}

/** A collection takes 5 ms, to edit so many bytes 150 and more. */
const enough = 33_554_432;
let bytesSince = 0;
let coming: NodeJS.Immediate | undefined;
let collect: ((...how: readonly object[]) => void) | undefined;

/**
 * This thread takes or lets go of so many bytes of shared memory, in this turn: collect once that is much. V8 does not
 * count shared memory, which is freed when each thread that has seen it has collected what referred to it: where bodies
 * grew, so that their memory could not be used again, 610 to 810 MB were in use instead of 540.
 */
export function collectPaced(bytes: number): void {
  bytesSince += bytes;
  if (bytesSince < enough) return;
  coming ??= setImmediate(() => {
    coming = undefined;
    bytesSince = 0;
    collectGarbage('major');
  });
}

/**
 * Takes 5 ms of its thread. gc is exposed late and only here: Node has no other way to ask. Without, a server that had
 * been sent twelve files of 9 MB at once still held 89 MB of them after 12 s instead of 8.
 */
export function collectGarbage(which: 'minor' | 'major'): void {
  collect ??= exposedGc();
  // Node 20 takes any argument as a request for a minor collection.
  if (which === 'minor') collect?.({ type: 'minor' });
  else collect?.();
}

/** @returns undefined if another thread, which has done the same, has just hidden it again: flags are the process's */
function exposedGc(): typeof collect {
  v8().setFlagsFromString('--expose-gc');
  const exposed: unknown = runInNewContext('globalThis.gc');
  v8().setFlagsFromString('--no-expose-gc');
  if (typeof exposed !== 'function') return undefined;
  return (...how) => void Reflect.apply(exposed, undefined, how);
}

let loaded: typeof V8 | undefined;

/**
 * node:v8, loaded by the first call. It loads streams, which nothing else needs before the first answer: as an import it
 * would add 2 ms to every start.
 */
export function v8(): typeof V8 {
  return (loaded ??= createRequire(import.meta.url)('node:v8') as typeof V8);
}
