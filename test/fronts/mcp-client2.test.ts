import { mcpFront } from './mcp.js';
import { runCases } from './run-cases.js';

runCases(mcpFront('client 2.x over stdio', 1));
runCases(mcpFront('client 2.x over HTTP', 0));
