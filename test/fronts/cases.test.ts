import { allCases } from '../operations/cases.js';
import { rest, stdio } from './fronts.js';
import { runCases, someOfEach } from './run-cases.js';

runCases(rest('REST', {}));
runCases(stdio);
// Only the listener differs.
runCases(rest('REST on node:http, without a cache', { nodeListener: true, cacheMb: 0 }), someOfEach(allCases, 3));
