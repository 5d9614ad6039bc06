import { allCases } from '../operations/cases.js';
import { mcpFront } from './mcp.js';
import { runCases, someOfEach } from './run-cases.js';

// The other client runs all cases (mcp-sdk1.test.ts); only the envelope and the transport differ here.
const some = someOfEach(allCases, 1);
runCases(mcpFront('client 2.x over HTTP', 1), some);
runCases(mcpFront('client 2.x over stdio', 0), some);
