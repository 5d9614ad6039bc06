// Preload for a server on Windows as Wine has it, whose locks bind nobody. As on Windows, reading or writing what
// another handle has locked fails with EBUSY. And since other programs would fail likewise, every file that a rename or
// a link has put in its place must not be locked where its bytes are: one that is gets a line in LOCKED_FILES, because
// the moment is too short to be met by chance. Also runs in worker threads.
'use strict';
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const locks = require('fs-native-extensions');

const { tryLock, unlock } = locks;
const { appendFileSync, closeSync, linkSync, openSync, readSync, renameSync, writeSync } = fs;

/** Far behind the end of any file. */
const behind = 2 ** 40;
/** The handles of this thread that hold a lock on bytes: they may go on. */
const holders = new Set();

locks.tryLock = (fd, ...where) => {
  const taken = tryLock(fd, ...where);
  const [offset] = where;
  if (taken && !(typeof offset === 'number' && offset >= behind)) holders.add(fd);
  return taken;
};
locks.unlock = (fd, ...where) => {
  unlock(fd, ...where);
  holders.delete(fd);
};

const forgetting =
  (close) =>
  (fd, ...rest) => {
    holders.delete(fd);
    return close(fd, ...rest);
  };
fs.closeSync = forgetting(closeSync);
fs.close = forgetting(fs.close);

/** Whether another handle has locked bytes of this file. */
function isLocked(fd) {
  if (!tryLock(fd, 0, behind, { shared: true })) return true;
  unlock(fd, 0, behind);
  return false;
}

const binding =
  (call, name) =>
  (fd, ...rest) => {
    if (fd > 2 && !holders.has(fd) && isFile(fd) && isLocked(fd)) {
      const error = new Error(`EBUSY: resource busy or locked, ${name}`);
      throw Object.assign(error, { errno: -4082, code: 'EBUSY', syscall: name });
    }
    return call(fd, ...rest);
  };
fs.readSync = binding(readSync, 'read');
fs.writeSync = binding(writeSync, 'write');

function isFile(fd) {
  return fs.fstatSync(fd).isFile();
}

const watched = (call) => (from, to) => {
  call(from, to);
  if (/[\\/]\.file-editor[\\/]/.test(to)) return;
  let fd;
  try {
    fd = openSync(to, 'r');
  } catch {
    // A directory, or replaced since.
    return;
  }
  try {
    if (isFile(fd) && isLocked(fd)) appendFileSync(process.env.LOCKED_FILES, `${to}\n`);
  } finally {
    closeSync(fd);
  }
};
fs.renameSync = watched(renameSync);
fs.linkSync = watched(linkSync);
syncBuiltinESMExports();
