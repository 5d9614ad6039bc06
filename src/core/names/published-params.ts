import type { Operation, Schema } from '../operations.js';
import { mostNameBytes, namePattern, type NameRule } from './filename.js';

/**
 * The schema of the parameters as it is published: with the rule for file names (spec 5.5). The validators leave that out,
 * since a bad name has a failure of its own.
 */
export function publishedParams(schema: Schema, { filename }: Operation, names: NameRule): Schema {
  const name = filename === undefined ? undefined : schema.properties?.[filename];
  if (filename === undefined || name === undefined) return schema;
  const ruled = { ...name, minLength: 1, maxLength: mostNameBytes, pattern: namePattern(names) };
  return { ...schema, properties: { ...schema.properties, [filename]: ruled } };
}
