// Makes the binary HTTP library unavailable, as it is on platforms that it does not support.
import { register } from 'node:module';

const hooks = `export async function resolve(specifier, context, next) {
  if (specifier === 'uWebSockets.js') throw new Error('not available on this platform (test)');
  return next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
