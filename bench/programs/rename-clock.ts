/**
 * A clock inside a server that is being measured: loaded before it (--import), in each of its threads, with the path of
 * its output in its URL. For every rename it notes how long ago the replaced file was last looked at, and changes
 * nothing else.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** What the clock writes for each rename: two numbers, in milliseconds. */
export interface Span {
  /** From the beginning of the last look to the end of the rename: an upper bound. */
  readonly outer: number;
  /** From the end of the last look to the beginning of the rename: a lower bound. */
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
    // Small enough to be written in one piece, whatever the other threads write.
    fs.writeSync(samples, new Float64Array([ended - looked.began, began - looked.ended]));
  },
});

Object.assign(fs, { lstatSync, renameSync });
// Updates what modules have imported by name.
syncBuiltinESMExports();
