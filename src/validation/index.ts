/**
 * Checks parameters against the schema of their operation, in bounded time. ajv alone is not enough: told to
 * report all errors, it made 5,000,001 of them (2.1 s, 800 MB) of 9.5 MB of `"edits": [1,1,1,…]`.
 */
import { errorKinds, failure, type Failure, type LineBase } from '../errors.js';
import { isObject } from '../json-body.js';
import { isLargeText, isWellFormed } from '../large-text.js';
import { paramsCountedFrom } from '../line-numbers.js';
import { nearest } from '../nearest.js';
import type { ValidLineEdit, Operation, Schema } from '../operations.js';
import { validators, type SchemaViolation } from './compiled.js';
import { checkContents, wrongContents } from './line-edits.js';

/** How many violations one answer reports. */
const maxViolations = 20;
/** How many unknown members an object may have before it is refused without looking at them. */
const maxUnknownMembers = 20;
/** How much of a member name that the client chose is echoed, in characters. */
const maxEchoed = 60;

/** What is wrong at one place of the parameters. */
interface Violation {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly problem: string;
  /** What to do about it, where that says more than the problem. */
  readonly hint?: string | undefined;
}

interface Findings {
  readonly oversized: Violation[];
  readonly malformed: Violation[];
}

/**
 * The failure that parameters deserve which do not fit `operation` (contract 5.5), or null. Whatever is in them,
 * the time it takes does not grow with their size beyond one look at each string; values are never echoed.
 *
 * @param params count lines from 1
 * @param lineBase how their caller counts them
 */
export function validate(operation: Operation, params: unknown, lineBase: LineBase = 1): Failure | null {
  const oversized: Violation[] = [];
  const malformed: Violation[] = [];
  inspect(operation.params, params, '', operation.filename, { oversized, malformed });
  if (oversized.length > 0) return invalid(oversized);
  const validator = validators[operation.name];
  if (validator(withStrings(operation, params))) {
    if (malformed.length === 0) return checkLineEdits(operation, params, lineBase);
    return operation.paths === undefined ? invalid(malformed) : invalidEncoding(malformed);
  }
  const refused = (validator.errors ?? []).slice(0, maxViolations);
  const schema = paramsCountedFrom(operation, lineBase);
  const contents = wrongContents(lineEditsIn(operation, params));
  return invalid([...refused.map((error) => explain(error, schema, params)), ...contents, ...malformed]);
}

/** Containers around a large text at most: the parameters, a list, an item of it. What no schema describes may be deep. */
const deepest = 3;

/** A large text is a string to the schema, and none limits its length. */
function withStrings({ largeTexts }: Operation, params: unknown): unknown {
  return largeTexts !== undefined && holdsLargeText(params, deepest)
    ? withoutLarge(largeTexts, params, deepest)
    : params;
}

function holdsLargeText(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isLargeText(value) || (depth > 0 && Object.values(value).some((each) => holdsLargeText(each, depth - 1)));
}

function withoutLarge(largeTexts: readonly string[], value: unknown, depth: number): unknown {
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutLarge(largeTexts, item, depth - 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (isLargeText(member)) return [name, largeTexts.includes(name) ? '' : member] as const;
    return [name, withoutLarge(largeTexts, member, depth - 1)] as const;
  });
  return Object.fromEntries(members);
}

function checkLineEdits(operation: Operation, params: unknown, lineBase: LineBase): Failure | null {
  const edits = lineEditsIn(operation, params);
  // They fit the schema of the row by now, which LineEdit mirrors.
  return edits === undefined ? null : checkContents(edits as readonly ValidLineEdit[], lineBase);
}

function lineEditsIn({ lineEdits }: Operation, params: unknown): unknown {
  return lineEdits === undefined || !isObject(params) ? undefined : params[lineEdits];
}

/**
 * The guard before ajv: follows the schema through arrays and objects, and finds those with so many items or
 * members that ajv must not see them. On the way it finds strings that are not well-formed Unicode, which would
 * be written as U+FFFD without a word; that in a file name is for checkFilename to answer (`exempt`).
 */
function inspect(schema: Schema, value: unknown, pointer: string, exempt: string | undefined, found: Findings): void {
  if (typeof value === 'string' || isLargeText(value)) {
    if (schema.type === 'string' && !isWellFormed(value) && found.malformed.length < maxViolations) {
      found.malformed.push({ pointer, problem: 'must be well-formed Unicode, without lone surrogates' });
    }
  } else if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    if (schema.maxItems !== undefined && value.length > schema.maxItems) {
      found.oversized.push({ pointer, problem: `must hold at most ${String(schema.maxItems)} items` });
      return;
    }
    for (const [index, item] of value.entries()) {
      if (found.oversized.length >= maxViolations) return;
      inspect(schema.items, item, `${pointer}/${String(index)}`, undefined, found);
    }
  } else if (isObject(value) && schema.properties !== undefined) {
    inspectMembers(schema.properties, value, pointer, exempt, found);
  }
}

function inspectMembers(
  properties: Readonly<Record<string, Schema>>,
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  exempt: string | undefined,
  found: Findings,
): void {
  let unknown = 0;
  for (const name in value) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema !== undefined) {
      if (name !== exempt) inspect(schema, value[name], `${pointer}/${name}`, undefined, found);
    } else if (++unknown > maxUnknownMembers) {
      found.oversized.push({ pointer, problem: 'has too many members', hint: theParametersAre(properties) });
      return;
    }
  }
}

function explain(error: SchemaViolation, root: Schema, params: unknown): Violation {
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

/** Of a member that belongs into an item of a list, which was sent without the list around it. */
function misplaced(name: string, properties: Readonly<Record<string, Schema>>, value: unknown): string | undefined {
  const list = Object.entries(properties).find(([, { items }]) => {
    const { properties: members = {}, required = [] } = items ?? {};
    const isItem = required.length > 0 && isObject(value) && required.every((member) => Object.hasOwn(value, member));
    return isItem && Object.hasOwn(members, name);
  });
  return list && `put it into an object in the array "${list[0]}".`;
}

/** Says what the parameter is for as well: it may not be what was wanted. */
function meant(name: string, properties: Readonly<Record<string, Schema>>): string | undefined {
  const known = nearest(name, Object.keys(properties));
  if (known === undefined) return undefined;
  const { description } = properties[known] ?? {};
  return `did you mean "${known}"?${description === undefined ? '' : ` ${description}`}`;
}

/** The schema and the value at a pointer that ajv made: it consists of names of the schema and of indexes. */
function locate(pointer: string, root: Schema, params: unknown): { schema: Schema; value: unknown } {
  let schema = root;
  let value = params;
  for (const step of pointer.split('/').slice(1)) {
    schema = schema.items ?? schema.properties?.[step] ?? schema;
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isObject(value)) value = value[step];
  }
  return { schema, value };
}

/** What a schema accepts, in words. */
function accepted(schema: Schema): string {
  switch (schema.type) {
    case 'integer': {
      const least = schema.minimum === undefined ? '' : ` from ${String(schema.minimum)}`;
      // What a number can hold, lines counted from 0 or from 1, is no limit that anybody meets.
      const limited = schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER - 1;
      const most = limited ? ` to ${String(schema.maximum)}` : '';
      return `a whole number${least}${most}`;
    }
    case 'string':
      if (schema.minLength === 1) return 'a string that is not empty';
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

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function theParametersAre(properties: Readonly<Record<string, Schema>>): string {
  const known = Object.keys(properties).join(', ');
  return known === '' ? 'no parameters are known here' : `known here are ${known}`;
}

/** A name the client chose, as a step of a JSON pointer: short, well-formed, on one line. */
function echo(name: string): string {
  const short = name.length > maxEchoed ? `${name.slice(0, maxEchoed)}…` : name;
  return short
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\ufffd')
    .replaceAll('~', '~0')
    .replaceAll('/', '~1');
}

/** The storage and edits tools have a code of their own for text that is none (contract 11). */
function invalidEncoding(malformed: readonly Violation[]): Failure {
  const sentences = malformed.map(({ pointer, problem }) => `${pointer} ${problem}`);
  return failure('invalid_encoding', 'Content does not match specified encoding', {
    details: `${sentences.join('; ')}. ${errorKinds.invalid_encoding.advice}`,
  });
}

function invalid(violations: readonly Violation[]): Failure {
  const listed = violations.slice(0, maxViolations);
  const sentences = listed.map(({ pointer, problem }) => `${pointer === '' ? 'params' : pointer} ${problem}`);
  const told = new Set<string>();
  const advice = listed.map(({ hint }, index) => {
    const sentence = sentences[index] ?? '';
    // Said once: twenty edits may have the same thing wrong with them.
    if (hint === undefined || told.has(hint)) return `${sentence}.`;
    told.add(hint);
    return `${sentence}: ${hint}${/[.?]$/.test(hint) ? '' : '.'}`;
  });
  return failure('invalid_params', `Invalid params: ${sentences.join('; ')}`, {
    details: [...advice, errorKinds.invalid_params.advice].join(' '),
  });
}
