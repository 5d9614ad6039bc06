import { mcpFront } from './mcp.js';
import { runCases } from './run-cases.js';

runCases(mcpFront('sdk 1.x over stdio', 0));
runCases(mcpFront('sdk 1.x over HTTP', 1));
