// Makes the binary HTTP library unavailable, as it is where it was not installed: built programs load it with require.
import Module from 'node:module';

const load = Module._load;
Module._load = function (request, ...rest) {
  return load.call(this, request === 'uWebSockets.js' ? 'uWebSockets.js-not-installed' : request, ...rest);
};
