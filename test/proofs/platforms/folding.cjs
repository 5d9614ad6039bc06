// Preload that lets a program on Linux see the names below FOLD_BELOW as APFS and NTFS show them: those that differ
// only in case are one, and with FOLD_COMPOSITION=1 also those that differ only in Unicode form. Names keep the form
// in which they were made, a rename changes it, and one that replaces a file leaves its own, as on NTFS. Also runs in
// worker threads.
'use strict';
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');

const below = process.env.FOLD_BELOW;
const composes = process.env.FOLD_COMPOSITION === '1';
const { lstatSync, readdirSync, renameSync } = fs;

const folded = (name) => (composes ? name.normalize('NFC') : name).toLowerCase();

/** The name that the directory has for this one; the same if it has none. */
function inDirectory(directory, name) {
  const exact = lstatSync(path.join(directory, name), { throwIfNoEntry: false });
  if (exact !== undefined) return name;
  try {
    return readdirSync(directory).find((known) => folded(known) === folded(name)) ?? name;
  } catch {
    return name;
  }
}

/** The path as it is on the disk. */
function onDisk(given) {
  const text = Buffer.isBuffer(given) ? given.toString() : given;
  if (typeof text !== 'string' || !text.startsWith(`${below}/`)) return given;
  let at = below;
  for (const name of text.slice(below.length + 1).split('/')) {
    at = name === '' || name === '.' || name === '..' ? `${at}/${name}` : path.join(at, inDirectory(at, name));
  }
  return Buffer.isBuffer(given) ? Buffer.from(at) : at;
}

/** As the target of a rename: what is there already, and how it will be called. */
function renamed(given) {
  const to = onDisk(given);
  return { to, called: path.join(path.dirname(String(to)), path.basename(String(given))) };
}

const ofOnePath = [
  'accessSync',
  'appendFileSync',
  'chmodSync',
  'existsSync',
  'lstatSync',
  'mkdirSync',
  'openSync',
  'opendirSync',
  'readFileSync',
  'readdirSync',
  'readlinkSync',
  'rmSync',
  'rmdirSync',
  'statSync',
  'statfsSync',
  'unlinkSync',
  'utimesSync',
  'writeFileSync',
];
for (const name of ofOnePath) {
  const plain = fs[name];
  fs[name] = (given, ...rest) => plain(onDisk(given), ...rest);
}
const { linkSync, stat } = fs;
const { native } = fs.realpathSync;
fs.stat = (given, ...rest) => stat(onDisk(given), ...rest);
fs.linkSync = (from, to) => linkSync(onDisk(from), onDisk(to));
fs.realpathSync.native = (given, ...rest) => native(onDisk(given), ...rest);
fs.renameSync = (from, given) => {
  const { to, called } = renamed(given);
  renameSync(onDisk(from), to);
  if (String(to) !== called) renameSync(to, called);
};
syncBuiltinESMExports();
