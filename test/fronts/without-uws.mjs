// Makes the native HTTP library unavailable, as if not installed. Built programs load it with require.
import Module from 'node:module';

const load = Module._load;
Module._load = function (request, ...rest) {
  return load.call(this, request === 'uWebSockets.js' ? 'uWebSockets.js-not-installed' : request, ...rest);
};
