// Preload that gives a program on Linux what macOS does differently for it: its platform is darwin, and there is no
// /proc. Also runs in worker threads.
'use strict';
process.env['AS_PLATFORM'] = 'darwin';
require('../../commands/elsewhere.cjs');
const fs = require('node:fs');

const ofPaths = [
  'accessSync',
  'lstatSync',
  'openSync',
  'opendirSync',
  'readFileSync',
  'readdirSync',
  'readlinkSync',
  'statSync',
];
for (const name of ofPaths) {
  const onLinux = fs[name];
  fs[name] = (path, ...rest) => {
    // Without the file, each call fails, or does not, in its own way.
    return onLinux(isInProc(path) ? '/no-such-directory/on-macos' : path, ...rest);
  };
}

function isInProc(path) {
  return typeof path === 'string' && (path === '/proc' || path.startsWith('/proc/'));
}
