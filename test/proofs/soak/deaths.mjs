/**
 * Loaded into each thread of a server (--import): a worker thread that is about to rename a file, or has just done so,
 * dies if there is a file at the path named by DEATHS. Each such file causes one death.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const { renameSync, unlinkSync } = fs;

function dieIfDue(moment) {
  try {
    unlinkSync(`${process.env.DEATHS}.${moment}`);
  } catch {
    return;
  }
  process.exit(7);
}

if (!isMainThread) {
  fs.renameSync = (from, to) => {
    dieIfDue('before');
    renameSync(from, to);
    dieIfDue('after');
  };
  syncBuiltinESMExports();
}
