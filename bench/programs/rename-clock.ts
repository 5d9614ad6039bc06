/**
 * A clock inside a server that is measured: loaded before it (--import), in each of its threads, with the file that it writes to in its URL. It notes for every
 * rename how long ago the file in its place was last looked at, and changes nothing else.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** What the clock writes, as often as there are renames: two numbers in a row, in milliseconds. */
export interface Span {
  /** From the moment in which the last look began until the rename had ended: what is between is surely less. */
  readonly outer: number;
  /** From the end of the look to the beginning of the rename: what is between is surely more. */
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
// What modules have imported by name follows.
syncBuiltinESMExports();
