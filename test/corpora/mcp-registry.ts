/** The schema of server.json (github.com/modelcontextprotocol/static, commit a9ba437, MIT: see the folder). */
import { readFileSync } from 'node:fs';
import type { AnySchemaObject } from 'ajv';

export function loadRegistrySchema(): AnySchemaObject {
  return JSON.parse(
    readFileSync(new URL('mcp-registry/server.schema.json', import.meta.url), 'utf8'),
  ) as AnySchemaObject;
}
