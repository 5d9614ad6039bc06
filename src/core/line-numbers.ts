/** Converts line numbers between the caller's base and the code's, which is 1. */
import type { LineBase } from './errors.js';
import type { LineDescription, Operation, Schema } from './operations.js';

/**
 * Number of the first line for callers of an operation. A front chooses it for the `files` tools; all others count from
 * 1.
 */
export function lineBaseOf({ toolset }: Operation, ofFiles: LineBase): LineBase {
  return toolset === 'files' ? ofFiles : 1;
}

/** The schema of the parameters for callers whose first line is `lineBase`. */
export function paramsCountedFrom({ params, lineNumbers = {} }: Operation, lineBase: LineBase): Schema {
  if (lineBase === 1) return params;
  return Object.entries(lineNumbers).reduce(
    (schema, [pointer, describe]) => countedFrom(schema, stepsOf(pointer), lineBase, describe),
    params,
  );
}

/**
 * A caller's parameters with line numbers counted from 1. Values that are not numbers are left for validation to
 * refuse.
 */
export function countedFromOne({ lineNumbers = {} }: Operation, params: unknown, lineBase: LineBase): unknown {
  if (lineBase === 1) return params;
  return Object.keys(lineNumbers).reduce<unknown>((value, pointer) => moved(value, stepsOf(pointer), 1), params);
}

function stepsOf(pointer: string): readonly string[] {
  return pointer.split('/').slice(1);
}

function countedFrom(
  schema: Schema,
  [step, ...steps]: readonly string[],
  lineBase: LineBase,
  describe: LineDescription,
): Schema {
  const { items, properties } = schema;
  if (step === undefined) return { ...schema, minimum: lineBase, description: describe(lineBase) };
  if (step === '*')
    return items === undefined ? schema : { ...schema, items: countedFrom(items, steps, lineBase, describe) };
  const property = properties?.[step];
  if (property === undefined) return schema;
  return { ...schema, properties: { ...properties, [step]: countedFrom(property, steps, lineBase, describe) } };
}

function moved(value: unknown, [step, ...steps]: readonly string[], by: number): unknown {
  if (step === undefined) return typeof value === 'number' ? value + by : value;
  if (step === '*') return Array.isArray(value) ? value.map((item: unknown) => moved(item, steps, by)) : value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: moved(Reflect.get(value, step), steps, by) };
}
