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
export function coerceArguments(schema: Schema, given: unknown): unknown {
  const coerced = coerce(schema, given);
  if (!isObject(coerced) || hasTooManyMembers(coerced)) return coerced;
  const { properties = {} } = schema;
  const kept = Object.entries(coerced).filter(([name]) => Object.hasOwn(properties, name) || !addedByClients.has(name));
  return Object.fromEntries(kept);
}

/**
 * The value converted to the shape of the schema if only its encoding is wrong: an array or object sent as a JSON
 * string, a single item in place of an array, an integer or boolean sent as a string. Optional members without meaning
 * are dropped, and bounds of a range may be written as in other tools. Validation refuses everything else. The given
 * value is not changed.
 */
export function coerce(schema: Schema, value: unknown): unknown {
  switch (schema.type) {
    case 'integer':
      return typeof value === 'string' && wholeNumber.test(value) ? Number(value) : value;
    case 'array':
      return coerceArray(schema, parsed(value));
    case 'object':
      return coerceObject(schema, parsed(value));
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'string':
      return value;
  }
}

function coerceArray({ items, maxItems = Infinity }: Schema, value: unknown): unknown {
  if (items === undefined) return value;
  if (Array.isArray(value)) {
    // A list that is too long is refused anyway: do not touch its items.
    if (value.length > maxItems) return value;
    return items.type === 'object'
      ? parsedItems(value).map((item) => coerceObject(items, item))
      : value.map((item: unknown) => coerce(items, item));
  }
  return items.type === 'object' && isObject(value) ? [coerce(items, value)] : value;
}

function coerceObject({ properties = {}, required = [] }: Schema, value: unknown): unknown {
  // Too many members are refused anyway: copying 62,000 took 0.1 s.
  if (!isObject(value) || hasTooManyMembers(value)) return value;
  const coerced = Object.entries(withBounds(properties, value)).flatMap(([name, member]): [string, unknown][] => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) return [[name, member]];
    return !required.includes(name) && meansNothing(name, schema, member) ? [] : [[name, coerce(schema, member)]];
  });
  return withoutFillers(properties, Object.fromEntries(coerced));
}

/**
 * Members that may be empty by their schemas, but mean nothing then: no file has an empty hash or name, no change an
 * empty id.
 */
const neverEmpty: ReadonlySet<string> = new Set([
  ...['expected_hash', 'cursor', 'rename_to', 'caller', 'before', 'before_change'],
]);

/** Whether the value stands for an empty field, as sent by forms and generated clients. */
function meansNothing(name: string, { type, minLength = 0, enum: words }: Schema, value: unknown): boolean {
  if (value === null) return true;
  if (value !== '') return false;
  return type === 'integer' || type === 'boolean' || minLength > 0 || words !== undefined || neverEmpty.has(name);
}

/** Parameter of another tool for viewing files: a pair of bounds, which also count from 1. */
const otherBounds = 'view_range';

/** Replaces such a pair by the two bounds, in objects that name a path and a range of its lines. */
function withBounds(
  properties: Readonly<Record<string, Schema>>,
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(value, otherBounds) || !isRange(properties) || !Object.hasOwn(properties, 'path')) return value;
  if (Object.hasOwn(value, 'start_line') || Object.hasOwn(value, 'end_line')) return value;
  const { [otherBounds]: pair, ...others } = value;
  if (pair === null || pair === '') return others;
  const given = parsed(pair);
  const bounds: readonly unknown[] = Array.isArray(given) ? given : [];
  if (bounds.length !== 2) return value;
  const [start_line, end_line] = bounds;
  return { ...others, start_line, end_line };
}

function isRange(properties: Readonly<Record<string, Schema>>): boolean {
  return Object.hasOwn(properties, 'start_line') && Object.hasOwn(properties, 'end_line');
}

/**
 * Drops members that mean nothing beside others: an end_line of -1, which is the end; an empty old_string beside `at`;
 * an empty path beside a glob; empty files beside a path, or the reverse.
 */
function withoutFillers(
  properties: Readonly<Record<string, Schema>>,
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const isFiller = (name: string, member: unknown): boolean =>
    (name === 'end_line' && member === -1 && isRange(properties)) ||
    (name === 'path' && member === '' && Object.hasOwn(value, 'glob')) ||
    (name === 'path' && member === '' && Object.hasOwn(properties, 'files') && isGiven(value['files'])) ||
    (name === 'files' && !isGiven(member) && Object.hasOwn(value, 'path')) ||
    (name === 'old_string' && member === '' && Object.hasOwn(properties, 'at') && Object.hasOwn(value, 'at'));
  const kept = Object.entries(value).filter(([name, member]) => !isFiller(name, member));
  return kept.length === Object.keys(value).length ? value : Object.fromEntries(kept);
}

/** Whether a list is present and not empty. */
function isGiven(list: unknown): boolean {
  return list !== undefined && !(Array.isArray(list) && list.length === 0);
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
 * longer than a request of their size: one by one, 9 MB took 0.5 s. Line breaks separate them, so that no item can end
 * inside a string of another one.
 */
function parsedItems(items: readonly unknown[]): readonly unknown[] {
  const strings = items.filter((item) => typeof item === 'string');
  if (strings.length === 0 || !strings.every((item) => /^\s*\{/.test(item))) return items;
  const values = read(Buffer.from(`[${strings.join(',\n')}]`));
  if (!Array.isArray(values) || values.length !== strings.length) return items;
  const objects: Iterator<unknown> = values.values();
  return items.map((item): unknown => (typeof item === 'string' ? objects.next().value : item));
}
