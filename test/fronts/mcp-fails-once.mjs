// Makes the first attempt to load MCP fail, as when no file can be opened. Built programs load it with require.
import Module from 'node:module';

const load = Module._load;
let failed = false;
Module._load = function (request, ...rest) {
  if (!failed && request.endsWith('mcp/mcp-bundle.cjs')) {
    failed = true;
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  }
  return load.call(this, request, ...rest);
};
