/**
 * A clock inside a measured server: preloaded (--import) into each of its threads, with the path of its output in its
 * URL. For every rename it records the time since the last stat of the replaced file, and changes nothing else.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** The record of each rename: two numbers, in milliseconds. */
export interface Span {
  /** From the start of the last stat to the end of the rename: an upper bound. */
  readonly outer: number;
  /** From the end of the last stat to the start of the rename: a lower bound. */
  readonly inner: number;
}

const samples = fs.openSync(new URL(import.meta.url).searchParams.get('samples') ?? '', 'a');
const looked = { path: '', began: NaN, ended: NaN };

const lstatSync = new Proxy(fs.lstatSync, {
  apply(lstat, self, args: Parameters<typeof fs.lstatSync>) {
    const began = performance.now();
    try {
      return Reflect.apply(lstat, self, args) as unknown;
    } finally {
      Object.assign(looked, { path: args[0], began, ended: performance.now() });
    }
  },
});

const renameSync = new Proxy(fs.renameSync, {
  apply(rename, self, args: Parameters<typeof fs.renameSync>) {
    const began = performance.now();
    Reflect.apply(rename, self, args);
    const ended = performance.now();
    if (args[1] !== looked.path) return;
    // Small enough for a single atomic write, whatever other threads write.
    fs.writeSync(samples, new Float64Array([ended - looked.began, began - looked.ended]));
  },
});

Object.assign(fs, { lstatSync, renameSync });
// Updates the named imports of other modules.
syncBuiltinESMExports();
