/**
 * Everything of MCP that is loaded with its first message: a file of its own in the build, which no start has to read.
 */
export { McpEndpoint } from './http.js';
export { McpStream } from './stdio.js';
export { createMcp } from './mcp.js';
