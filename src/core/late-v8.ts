/**
 * node:v8, loaded on first use. It loads streams, which nothing else needs before the first answer: as an import it
 * would add 2 ms to every start.
 */
import { createRequire } from 'node:module';
import type V8 from 'node:v8';

let loaded: typeof V8 | undefined;

/** The module, loaded by the first call. */
export function v8(): typeof V8 {
  return (loaded ??= createRequire(import.meta.url)('node:v8') as typeof V8);
}
