// Lets node run the TypeScript of the tests and of what they import: each file is translated by esbuild when it is
// first loaded, line by line, so that coverage is that of the lines as they were written (tsx puts a file on one line,
// and every line of it then counts as covered). The two hundred processes of the suite take what was made of it from
// node_modules/.cache, where its name is the hash of all that it depends on, and start no esbuild. Worker threads run
// what was built, and would each wait for a thread of hooks of their own. What was built is fresh.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import '../src/packaging/fresh.mjs';
import './leftovers.mjs';

if (isMainThread) register('./translation.mjs', import.meta.url);
