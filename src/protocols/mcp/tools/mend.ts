/** Mends mistakes of models that leave no doubt about what was meant (spec 10). */
import { isObject, noTexts, parseJson } from '../../../core/json/json-body.js';
import { measure } from '../../../core/json/json-extent.js';
import type { Schema } from '../../../core/operations.js';

/** More than any object in the parameters of an operation may have. */
const mostMembers = 100;

/** What n8n adds to the arguments of every call. */
const addedByClients: ReadonlySet<string> = new Set(['toolCallId', 'sessionId', 'action', 'chatInput']);

/** A larger one than any number of a line is for the operation to refuse, or to clamp. */
const wholeNumber = /^\s*-?\d{1,300}\s*$/;

/**
 * The arguments of a tool, mended, without what clients add that is no parameter of it.
 * @param schema of its parameters
 */
export function mendArguments(schema: Schema, given: unknown): unknown {
  const mended = mend(schema, given);
  if (!isObject(mended) || hasTooManyMembers(mended)) return mended;
  const { properties = {} } = schema;
  const kept = Object.entries(mended).filter(([name]) => Object.hasOwn(properties, name) || !addedByClients.has(name));
  return Object.fromEntries(kept);
}

/**
 * The value in the shape that the schema asks for, if it is that in disguise: an array or object sent as a JSON string,
 * a single item in place of an array, a whole number, true or false sent as a string. Optional members of an object
 * that mean nothing are left out. Anything else is left for the validation to refuse; the given value is not changed.
 */
export function mend(schema: Schema, value: unknown): unknown {
  switch (schema.type) {
    case 'integer':
      return typeof value === 'string' && wholeNumber.test(value) ? Number(value) : value;
    case 'array':
      return mendArray(schema, parsed(value));
    case 'object':
      return mendObject(schema, parsed(value));
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'string':
      return value;
  }
}

function mendArray({ items, maxItems = Infinity }: Schema, value: unknown): unknown {
  if (items === undefined) return value;
  if (Array.isArray(value)) {
    // A list that is too long is refused for that, so nobody looks at its items.
    if (value.length > maxItems) return value;
    return items.type === 'object'
      ? parsedItems(value).map((item) => mendObject(items, item))
      : value.map((item: unknown) => mend(items, item));
  }
  return items.type === 'object' && isObject(value) ? [mend(items, value)] : value;
}

function mendObject({ properties = {}, required = [] }: Schema, value: unknown): unknown {
  // One with more members than a tool has parameters is refused for those: 62,000 of them took 0.1 s to copy.
  if (!isObject(value) || hasTooManyMembers(value)) return value;
  const mended = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) return [[name, member]];
    return !required.includes(name) && meansNothing(schema, member) ? [] : [[name, mend(schema, member)]];
  });
  return Object.fromEntries(mended);
}

/** Forms and generated clients send such values for fields that are not filled in. */
function meansNothing({ type }: Schema, value: unknown): boolean {
  return value === null || (value === '' && (type === 'integer' || type === 'boolean'));
}

/** Whether it has more members than any tool has parameters. */
export function hasTooManyMembers(value: object): boolean {
  return Object.keys(value).length > mostMembers;
}

/**
 * What the strings of one turn of the main thread may hold: a batch has up to 1,000 calls, each with arguments of its own,
 * and 10 MB of nested arrays in strings took 1 to 2 s. The largest edit has 4,000 values.
 */
const mostOfTurn = { unmeasuredBytes: 262_144, values: 16_000 };
let left: { unmeasuredBytes: number; values: number } | undefined;

/** Undefined if it is no JSON, or more than may be read in this turn. */
function read(json: Buffer): unknown {
  if (left === undefined) {
    left = { ...mostOfTurn };
    setImmediate(() => {
      left = undefined;
    });
  }
  left.unmeasuredBytes -= json.length;
  if (left.unmeasuredBytes < 0) {
    const extent = measure(json, noTexts, left.values);
    if (extent === null || extent.crowd !== undefined) return undefined;
    left.values -= extent.values;
  }
  const parsedJson = parseJson(json);
  return parsedJson.ok ? parsedJson.value : undefined;
}

/** What a string holds as JSON, if that is an array or an object. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return read(Buffer.from(value)) ?? value;
}

/**
 * The items parsed, if all of them are strings that hold JSON objects. They are parsed as one text, so that a thousand
 * of them take no longer than a request of their size may: one by one, 9 MB took 0.5 s. No item can end within a string
 * of another, since a line break separates them.
 */
function parsedItems(items: readonly unknown[]): readonly unknown[] {
  const strings = items.filter((item) => typeof item === 'string');
  if (strings.length === 0 || !strings.every((item) => /^\s*\{/.test(item))) return items;
  const values = read(Buffer.from(`[${strings.join(',\n')}]`));
  if (!Array.isArray(values) || values.length !== strings.length) return items;
  const objects: Iterator<unknown> = values.values();
  return items.map((item): unknown => (typeof item === 'string' ? objects.next().value : item));
}
