// Preload that gives a program on Linux the platform in AS_PLATFORM: its own code asks and is told that, while Node and
// packages go on as on Linux, which they were built for. For win32, Ctrl-Break is sent by SIGUSR2. For darwin, nobody may
// open the directory in PROTECTED, whatever its mode. Also runs in worker threads.
'use strict';
const fs = require('node:fs');
const nodeModule = require('node:module');
const { isMainThread } = require('node:worker_threads');

const { AS_PLATFORM: emulated, PROTECTED: hidden } = process.env;
const { platform } = process;
Object.defineProperty(process, 'platform', {
  enumerable: true,
  get() {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 2;
    const { stack } = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    const asker = stack.split('\n')[2] ?? '';
    return /node:|[\\/]node_modules[\\/]/.test(asker) ? platform : emulated;
  },
});

// The binary of the locks is chosen by the program.
const { _resolveFilename: resolve } = nodeModule;
nodeModule._resolveFilename = (request, ...rest) =>
  resolve(request.replace(`/prebuilds/${emulated}-`, `/prebuilds/${platform}-`), ...rest);

for (const name of ['openSync', 'opendirSync', 'readdirSync']) {
  const open = fs[name];
  fs[name] = (path, ...rest) => {
    if (hidden === undefined || String(path) !== hidden) return open(path, ...rest);
    throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM', errno: -1, syscall: 'open' });
  };
}

if (isMainThread) process.on('SIGUSR2', () => process.emit('SIGBREAK', 'SIGBREAK'));
