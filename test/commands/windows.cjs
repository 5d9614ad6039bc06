// Preload that gives a program on Linux the platform of Windows: its own code asks and is told win32, while Node and
// packages go on as on Linux, which they were built for. Ctrl-Break is sent by SIGUSR2. Also runs in worker threads.
'use strict';
const nodeModule = require('node:module');
const { isMainThread } = require('node:worker_threads');

const { platform } = process;
Object.defineProperty(process, 'platform', {
  enumerable: true,
  get() {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 2;
    const { stack } = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    const asker = stack.split('\n')[2] ?? '';
    return /node:|[\\/]node_modules[\\/]/.test(asker) ? platform : 'win32';
  },
});

// The binary of the locks is chosen by the program.
const { _resolveFilename: resolve } = nodeModule;
nodeModule._resolveFilename = (request, ...rest) =>
  resolve(request.replace('/prebuilds/win32-', `/prebuilds/${platform}-`), ...rest);

if (isMainThread) process.on('SIGUSR2', () => process.emit('SIGBREAK', 'SIGBREAK'));
