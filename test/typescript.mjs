// Lets node run the TypeScript of the tests and of their imports. esbuild translates each file on first load, line by
// line, so coverage refers to the original lines (tsx puts a file on one line, and every line of it then counts as
// covered). The two hundred processes of the suite share the translations in node_modules/.cache, named by the hash of
// all their inputs, and start no esbuild. Worker threads run the build output, because each would otherwise wait for a
// hooks thread of its own. The build output is fresh.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import '../src/packaging/fresh.mjs';
import './leftovers.mjs';

if (isMainThread) register('./translation.mjs', import.meta.url);
