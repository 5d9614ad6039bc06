/** Repairs unambiguous mistakes of models (spec 10). */
import { isObject, noTexts, parseJson } from '../../../core/json/json-body.js';
import { measure } from '../../../core/json/json-extent.js';
import type { Schema } from '../../../core/operations.js';

/** More than any parameter object has. */
const mostMembers = 100;

/** Added by n8n to the arguments of every call. */
const addedByClients: ReadonlySet<string> = new Set(['toolCallId', 'sessionId', 'action', 'chatInput']);

/** Numbers too large for a line are left for the operation to refuse or clamp. */
const wholeNumber = /^\s*-?\d{1,300}\s*$/;

/**
 * The arguments of a tool, repaired, without members that clients add on their own.
 * @param schema of the tool's parameters
 */
export function mendArguments(schema: Schema, given: unknown): unknown {
  const mended = mend(schema, given);
  if (!isObject(mended) || hasTooManyMembers(mended)) return mended;
  const { properties = {} } = schema;
  const kept = Object.entries(mended).filter(([name]) => Object.hasOwn(properties, name) || !addedByClients.has(name));
  return Object.fromEntries(kept);
}

/**
 * The value in the shape of the schema where only its encoding is wrong: an array or object sent as a JSON string, a
 * single item in place of an array, an integer or boolean sent as a string. Optional members without meaning are
 * dropped. Everything else is left for validation to refuse; the given value is not changed.
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
    // A list that is too long will be refused anyway: do not touch its items.
    if (value.length > maxItems) return value;
    return items.type === 'object'
      ? parsedItems(value).map((item) => mendObject(items, item))
      : value.map((item: unknown) => mend(items, item));
  }
  return items.type === 'object' && isObject(value) ? [mend(items, value)] : value;
}

function mendObject({ properties = {}, required = [] }: Schema, value: unknown): unknown {
  // Too many members are refused anyway: copying 62,000 took 0.1 s.
  if (!isObject(value) || hasTooManyMembers(value)) return value;
  const mended = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) return [[name, member]];
    return !required.includes(name) && meansNothing(schema, member) ? [] : [[name, mend(schema, member)]];
  });
  return Object.fromEntries(mended);
}

/** Forms and generated clients send such values for empty fields. */
function meansNothing({ type }: Schema, value: unknown): boolean {
  return value === null || (value === '' && (type === 'integer' || type === 'boolean'));
}

/** Whether it has more members than any parameter object. */
export function hasTooManyMembers(value: object): boolean {
  return Object.keys(value).length > mostMembers;
}

/**
 * Limits for JSON in strings per turn of the event loop: a batch has up to 1,000 calls, each with its own arguments,
 * and 10 MB of nested arrays in strings took 1 to 2 s. The largest edit has 5,000 values.
 */
const mostOfTurn = { unmeasuredBytes: 262_144, values: 16_000 };
let left: { unmeasuredBytes: number; values: number } | undefined;

/** Undefined if it is not JSON, or exceeds this turn's limits. */
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

/** The array or object that a string encodes as JSON; otherwise the value itself. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return read(Buffer.from(value)) ?? value;
}

/**
 * The items, parsed if all strings among them are JSON objects. They are parsed as one text, so that a thousand take no
 * longer than a request of their size: one by one, 9 MB took 0.5 s. No item can end inside another one's string, since
 * line breaks separate them.
 */
function parsedItems(items: readonly unknown[]): readonly unknown[] {
  const strings = items.filter((item) => typeof item === 'string');
  if (strings.length === 0 || !strings.every((item) => /^\s*\{/.test(item))) return items;
  const values = read(Buffer.from(`[${strings.join(',\n')}]`));
  if (!Array.isArray(values) || values.length !== strings.length) return items;
  const objects: Iterator<unknown> = values.values();
  return items.map((item): unknown => (typeof item === 'string' ? objects.next().value : item));
}
