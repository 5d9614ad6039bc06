/** Asking V8 to collect garbage, which it leaves alone as long as nothing is allocated that it counts. */
import { runInNewContext } from 'node:vm';
import { v8 } from '../late-v8.js';

let collect: ((...how: readonly object[]) => void) | undefined;

/** Takes 5 ms of its thread. gc is exposed late and only here: Node has no other way to ask. */
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
