/** Frees memory outside V8's heap, which the garbage collector is in no hurry to free. */
import { createRequire } from 'node:module';
import type V8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel } from 'node:worker_threads';

/** A closed port: memory transferred to it is freed. */
let nowhere: MessageChannel['port1'] | undefined;

/**
 * Free memory now, even if it is still referenced; it is detached. The collector, which barely counts memory outside
 * its heap, lets it pile up: six rounds of 8 clients that each replaced 4 MB left 320 MB. Takes 5 µs.
 */
export function freeMemory(memory: readonly ArrayBuffer[]): void {
  if (memory.length === 0) return;
  if (nowhere === undefined) {
    nowhere = new MessageChannel().port1;
    nowhere.close();
  }
  nowhere.postMessage(null, memory);
}

/** A collection takes 5 ms; editing this many bytes takes 150 ms and more. */
const enough = 33_554_432;
let bytesSince = 0;
let coming: NodeJS.Immediate | undefined;
let collect: ((...how: readonly object[]) => void) | undefined;

/**
 * Call when this thread takes or releases `bytes` of shared memory; collects garbage once they add up. V8 does not
 * account for shared memory, which is freed only when every thread that has seen it has collected its references: with
 * growing bodies, whose memory could not be reused, 610 to 810 MB were in use without this, and 540 with it.
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
 * Blocks its thread for 5 ms. gc is exposed late and only here: Node has no other way to request a collection. Without
 * it, a server that had received twelve 9 MB files at the same time still held 89 MB of them after 12 s; with it, 8 MB.
 */
export function collectGarbage(which: 'minor' | 'major'): void {
  collect ??= exposedGc();
  // Node 20 takes any argument as a request for a minor collection.
  if (which === 'minor') collect?.({ type: 'minor' });
  else collect?.();
}

/** @returns undefined if another thread has just hidden gc again: flags are per process */
function exposedGc(): typeof collect {
  v8().setFlagsFromString('--expose-gc');
  const exposed: unknown = runInNewContext('globalThis.gc');
  v8().setFlagsFromString('--no-expose-gc');
  if (typeof exposed !== 'function') return undefined;
  return (...how) => void Reflect.apply(exposed, undefined, how);
}

let loaded: typeof V8 | undefined;

/**
 * node:v8, loaded by the first call. It loads streams, which nothing else needs before the first answer: a static
 * import would add 2 ms to every start.
 */
export function v8(): typeof V8 {
  return (loaded ??= createRequire(import.meta.url)('node:v8') as typeof V8);
}
