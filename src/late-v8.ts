/**
 * node:v8, loaded when it is first asked for. It loads streams, which nothing else needs before the first answer: as an
 * import it would be 2 ms of every start.
 */
import { createRequire } from 'node:module';
import type V8 from 'node:v8';

let loaded: typeof V8 | undefined;

export function v8(): typeof V8 {
  return (loaded ??= createRequire(import.meta.url)('node:v8') as typeof V8);
}
