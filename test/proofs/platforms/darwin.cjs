// Preload that gives a program on Linux what macOS does differently for it: its platform is darwin, and there is no
// /proc. Node's own code and packages go on as on Linux, which they were built for. Also runs in worker threads.
'use strict';
const fs = require('node:fs');
const Module = require('node:module');

const { platform } = process;
Object.defineProperty(process, 'platform', {
  enumerable: true,
  get() {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 2;
    const { stack } = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    const asker = stack.split('\n')[2] ?? '';
    return /node:|[\\/]node_modules[\\/]/.test(asker) ? platform : 'darwin';
  },
});

// Built into a program, a package asks like the program, and would load the binary for macOS.
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) =>
  resolve(request.replace('/prebuilds/darwin-', `/prebuilds/${platform}-`), ...rest);

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
