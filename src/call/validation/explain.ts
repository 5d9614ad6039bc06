/** Explains to an agent what violates a schema and what would be valid. Agents see nothing else. */
import { isObject } from '../../core/json/json-body.js';
import { nearest, oneLine } from '../../core/names/nearest.js';
import type { Schema } from '../../core/operations.js';
import type { SchemaViolation } from './compiled.js';
import type { Violation } from '../../core/violations.js';

/**
 * An ajv error in the words of an answer.
 * @param root schema of the parameters
 */
export function explain(error: SchemaViolation, root: Schema, params: unknown): Violation {
  const { schema, value } = locate(error.instancePath, root, params);
  const properties = schema.properties ?? {};
  const { missingProperty: missing, additionalProperty: unknown } = error.params;
  if (missing !== undefined) {
    const expected = properties[missing];
    const hint = expected === undefined ? undefined : `expected ${accepted(expected)}`;
    return { pointer: `${error.instancePath}/${missing}`, problem: 'is required', hint };
  }
  if (unknown !== undefined) {
    const hint = misplaced(unknown, properties, value) ?? meant(unknown, properties) ?? theParametersAre(properties);
    return { pointer: `${error.instancePath}/${echo(unknown)}`, problem: 'is an unknown parameter', hint };
  }
  const wrongType = error.keyword === 'type' && !(schema.type === 'integer' && typeof value === 'number');
  const instead = wrongType ? `, not ${typeName(value)}` : '';
  const hint = schema.description ?? (schema.type === 'object' ? theParametersAre(properties) : undefined);
  return { pointer: error.instancePath, problem: `must be ${accepted(schema)}${instead}`, hint };
}

/** For an item member that was sent without the list around it. */
function misplaced(name: string, properties: Readonly<Record<string, Schema>>, value: unknown): string | undefined {
  const list = Object.entries(properties).find(([, { items }]) => {
    const { properties: members = {}, required = [] } = items ?? {};
    const isItem = isObject(value) && required.every((member) => Object.hasOwn(value, member));
    return isItem && Object.hasOwn(members, name);
  });
  return list && `put it into an object in the array "${list[0]}".`;
}

/** Describes the suggested parameter too: it may not be the one the caller wanted. */
function meant(name: string, properties: Readonly<Record<string, Schema>>): string | undefined {
  const known = nearest(name, Object.keys(properties));
  if (known === undefined) return undefined;
  const { description } = properties[known] ?? {};
  return `did you mean "${known}"?${description === undefined ? '' : ` ${description}`}`;
}

/** The value at a pointer made by ajv. */
export function valueAt(pointer: string, params: unknown): unknown {
  return pointer.split('/').slice(1).reduce<unknown>(valueIn, params);
}

/** The schema and the value at a pointer made by ajv, which consists of schema names and indexes. */
function locate(pointer: string, root: Schema, params: unknown): { schema: Schema; value: unknown } {
  let schema = root;
  let value = params;
  for (const step of pointer.split('/').slice(1)) {
    schema = schema.items ?? schema.properties?.[step] ?? schema;
    value = valueIn(value, step);
  }
  return { schema, value };
}

function valueIn(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) ? value[step] : value;
}

/** Describes the values that a schema accepts. */
function accepted(schema: Schema): string {
  switch (schema.type) {
    case 'integer':
      return `a whole number${bound('from', schema.minimum)}${bound('to', schema.maximum)}`;
    case 'string':
      if (schema.minLength === 1) return 'a string that is not empty';
      if (schema.format !== undefined) return `a string in the format ${schema.format}`;
      return schema.enum === undefined ? 'a string' : `one of ${schema.enum.map((each) => `"${each}"`).join(', ')}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      if (schema.maxItems === undefined) return 'an array';
      return `an array of ${schema.minItems === undefined ? 'at most' : `${String(schema.minItems)} to`} ${String(schema.maxItems)} items`;
    case 'object':
      return 'an object';
  }
}

function bound(word: string, value: number | undefined): string {
  return value === undefined ? '' : ` ${word} ${String(value)}`;
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A hint for an unknown name. */
export function theParametersAre(properties: Readonly<Record<string, Schema>>): string {
  const known = Object.keys(properties).join(', ');
  return known === '' ? 'no parameters are known here' : `known here are ${known}`;
}

/** A client-chosen name as a JSON pointer step. */
function echo(name: string): string {
  return oneLine(name).replaceAll('~', '~0').replaceAll('/', '~1');
}
