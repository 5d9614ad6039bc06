import { allCases } from '../operations/cases.js';
import { mcpFront } from './mcp.js';
import { runCases, someOfEach } from './run-cases.js';

// The other client has all of the cases (mcp-sdk1.test.ts): what differs is the envelope, and how messages travel.
const some = someOfEach(allCases, 1);
runCases(mcpFront('client 2.x over HTTP', 1), some);
runCases(mcpFront('client 2.x over stdio', 0), some);
