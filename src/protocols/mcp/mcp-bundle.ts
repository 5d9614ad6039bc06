/** All code of MCP, loaded with its first message: a separate bundle, so that no start has to read it. */
export { McpEndpoint } from './http.js';
export { McpStream } from './stdio.js';
export { createMcp } from './mcp.js';
