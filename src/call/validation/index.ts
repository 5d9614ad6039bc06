/**
 * Checks parameters against the schema of their operation, in bounded time. ajv alone is not enough: told to report all
 * errors, it made 5,000,001 of them (2.1 s, 800 MB) from 9.5 MB of `"edits": [1,1,1,…]`.
 */
import type { Failure, LineBase } from '../../core/errors.js';
import { isObject } from '../../core/json/json-body.js';
import { isLargeText, isWellFormed, largeTextsIn } from '../../core/json/large-text.js';
import { paramsCountedFrom } from '../../core/line-numbers.js';
import type { ValidLineEdit, Operation, Schema } from '../../core/operations.js';
import { validators, type SchemaViolation } from './compiled.js';
import { explain, theParametersAre } from './explain.js';
import { soleFault } from './sole-fault.js';
import { checkContents, wrongContents } from './line-edits.js';
import { invalid, invalidEncoding, maxViolations, type Violation } from '../../core/violations.js';

/** How many unknown members an object may have before it is refused without a look at them. */
const maxUnknownMembers = 20;

interface Findings {
  readonly oversized: Violation[];
  readonly malformed: Violation[];
}

/** Says what is wrong with parameters. Finding the words, and what was meant, takes longer than finding the fault. */
export type Explain = () => Failure;

/**
 * Whether parameters do not fit `operation` (spec 5.5), or null. Beyond one look at each string, the time it takes
 * does not grow with their size; values are never echoed.
 *
 * @param params count lines from 1; not to be changed before they are explained
 * @param lineBase how their caller counts lines
 */
export function faultOf(operation: Operation, params: unknown, lineBase: LineBase = 1): Explain | null {
  const oversized: Violation[] = [];
  const malformed: Violation[] = [];
  inspect(operation.params, params, '', operation.filename, { oversized, malformed });
  if (oversized.length > 0) return () => invalid(oversized);
  const validator = validators[operation.name];
  if (validator(withStrings(operation, params))) {
    if (malformed.length > 0) return () => (operation.paths === undefined ? invalid : invalidEncoding)(malformed);
    const refused = checkLineEdits(operation, params, lineBase);
    return refused === null ? null : () => refused;
  }
  const all = validator.errors ?? [];
  return () => {
    const contents = wrongContents(lineEditsIn(operation, params));
    if (contents.length === 0 && malformed.length === 0) {
      const sole = soleFault(operation, all, params, lineBase);
      if (sole !== undefined) return sole;
    }
    const schema = paramsCountedFrom(operation, lineBase);
    const errors = withoutRepetitions(all).slice(0, maxViolations);
    return invalid([...errors.map((error) => explain(error, schema, params)), ...contents, ...malformed]);
  };
}

/** A value of the wrong type is none of the listed values either: one problem says it all. */
function withoutRepetitions(errors: readonly SchemaViolation[]): readonly SchemaViolation[] {
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  return errors.filter(({ keyword, instancePath }) => keyword !== 'enum' || !mistyped.has(instancePath));
}

/** The failure of parameters that do not fit, or null: `faultOf`, explained. */
export function validate(operation: Operation, params: unknown, lineBase?: LineBase): Failure | null {
  return faultOf(operation, params, lineBase)?.() ?? null;
}

/**
 * How many containers a large text can be in: the parameters, a list, an item of it. What no schema describes may be
 * deep.
 */
const deepest = 3;

/** To the schema a large text is a string, and no schema limits its length. */
function withStrings({ largeTexts }: Operation, params: unknown): unknown {
  return largeTexts !== undefined && largeTextsIn(params, deepest).length > 0
    ? withoutLarge(largeTexts, params, deepest)
    : params;
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
  // They have been checked against the schema of the row, from which LineEdit is derived.
  return edits === undefined ? null : checkContents(edits as readonly ValidLineEdit[], lineBase);
}

function lineEditsIn({ lineEdits }: Operation, params: unknown): unknown {
  return lineEdits === undefined || !isObject(params) ? undefined : params[lineEdits];
}

/**
 * The guard before ajv: follows the schema through arrays and objects and finds those with so many items or members
 * that ajv must not see them. On the way it finds strings that are not well-formed Unicode, which would silently be
 * written as U+FFFD; in a file name, that is left to checkFilename (`exempt`).
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
