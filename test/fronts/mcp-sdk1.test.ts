import { allCases } from '../operations/cases.js';
import { mcpFront } from './mcp.js';
import { runCases, someOfEach } from './run-cases.js';

runCases(mcpFront('sdk 1.x over stdio', 0));
// The methods are the same as over stdio.
runCases(mcpFront('sdk 1.x over HTTP', 1), someOfEach(allCases, 1));
