import { stdio } from './fronts.js';
import { rememberedCases, repeated } from './repeated.js';
import { runCases, someOfEach } from './run-cases.js';

const tinyCache = { cacheMb: 1 };

runCases(
  repeated({
    name: 'JSON-RPC over stdio with a tiny cache',
    open: (directory, options) => stdio.open(directory, { ...tinyCache, ...options }),
  }),
  someOfEach(rememberedCases, 3),
);
