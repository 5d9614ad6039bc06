import { allCases } from '../operations/cases.js';
import { mcpFront } from './mcp.js';
import { runCases, someOfEach } from './run-cases.js';

runCases(mcpFront('client 2.x over HTTP', 1));
// The methods are the same as over HTTP, and the transport as for sdk 1.x.
runCases(mcpFront('client 2.x over stdio', 0), someOfEach(allCases));
