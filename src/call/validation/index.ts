/**
 * Checks parameters against the schema of their operation in bounded time. ajv alone is not enough: with allErrors, it
 * made 5,000,001 errors (2.1 s, 800 MB) from 9.5 MB of `"edits": [1,1,1,…]`.
 */
import type { Failure, LineBase } from '../../core/errors.js';
import { isObject } from '../../core/json/json-body.js';
import { isLargeText, isWellFormed, largeTextsIn } from '../../core/json/large-text.js';
import { paramsCountedFrom } from '../../core/line-numbers.js';
import type { ValidLineEdit, Operation, Schema } from '../../core/operations.js';
import { aboutChange, wrongChanges } from './changes.js';
import { validators, type SchemaViolation, type Validator } from './compiled.js';
import { explain, theParametersAre } from './explain.js';
import { soleFault } from './sole-fault.js';
import { checkEdits, wrongEdits } from './line-edits.js';
import { wrongChoice, wrongSeveral } from './several.js';
import { wrongTextEdits } from './text-edits.js';
import { invalid, invalidEncoding, maxViolations, type Violation } from '../../core/violations.js';

/** An object with more unknown members is refused without examining them. */
const maxUnknownMembers = 20;

interface Findings {
  readonly oversized: Violation[];
  readonly malformed: Violation[];
}

/**
 * Builds the explanation of a fault. Deferred, because wording it and guessing what was meant takes longer than
 * detecting it.
 */
export type Explain = () => Failure;

/**
 * The fault of parameters that do not fit `operation` (spec 5.5), or null. Apart from one scan of each string, its time
 * does not grow with their size; values are never echoed.
 *
 * @param params with lines counted from 1; must not change before the fault is explained
 * @param lineBase number of the caller's first line
 */
export function faultOf(operation: Operation, params: unknown, lineBase: LineBase = 1): Explain | null {
  const oversized: Violation[] = [];
  const malformed: Violation[] = [];
  inspect(operation.params, params, '', operation.filename, { oversized, malformed });
  const refusal = (violations: readonly Violation[], make = invalid): Failure =>
    aboutChange(operation, params, make(violations), violations[0]?.pointer);
  if (oversized.length > 0) return () => refusal(oversized);
  const all = violationsOf(operation, withStrings(operation, params));
  if (all.length === 0) {
    if (malformed.length > 0)
      return () => refusal(malformed, operation.paths === undefined ? invalid : invalidEncoding);
    const refused = checkLineEdits(operation, params, lineBase);
    if (refused !== null) return () => refused;
    const wrong = beyondSchema(operation, params);
    return wrong.length === 0 ? null : () => refusal(wrong);
  }
  return () => {
    const wrong = [...wrongEdits(memberOf(params, operation.lineEdits)), ...beyondSchema(operation, params)];
    if (wrong.length === 0 && malformed.length === 0) {
      const sole = soleFault(operation, all, params, lineBase);
      if (sole !== undefined) return sole;
    }
    const schema = paramsCountedFrom(operation, lineBase);
    const errors = withoutRepetitions(all).slice(0, maxViolations);
    return refusal([...errors.map((error) => explain(error, schema, params)), ...wrong, ...malformed]);
  };
}

/**
 * The violations of the schema, but not all if there are many. Changes are checked one by one until there are enough:
 * explaining 100,000 faulty edits took 0.8 s.
 */
function violationsOf({ name, changes }: Operation, params: unknown): readonly SchemaViolation[] {
  const list = memberOf(params, changes);
  if (changes === undefined || !Array.isArray(list) || list.length === 0) return checkedBy(validators[name], params);
  const found: SchemaViolation[] = [];
  for (const [index, change] of list.entries()) {
    const first = `/${changes}/0`;
    for (const violation of checkedBy(validators[name], { ...Object(params), [changes]: [change] })) {
      const { instancePath } = violation;
      const withChangeNumber = instancePath === first || instancePath.startsWith(`${first}/`);
      if (withChangeNumber) {
        found.push({ ...violation, instancePath: `/${changes}/${String(index)}${instancePath.slice(first.length)}` });
      } else if (index === 0) {
        found.push(violation);
      }
    }
    if (found.length >= maxViolations) break;
  }
  return found;
}

function checkedBy(validator: Validator, params: unknown): readonly SchemaViolation[] {
  return validator(params) ? [] : (validator.errors ?? []);
}

/** Rules about several members of the parameters, an edit or a change. */
function beyondSchema(operation: Operation, params: unknown): readonly Violation[] {
  const { textEdits, changes } = operation;
  return [
    ...wrongTextEdits(memberOf(params, textEdits)),
    ...wrongChanges(memberOf(params, changes)),
    ...wrongSeveral(operation, params),
    ...wrongChoice(operation, params),
  ];
}

/** A value of the wrong type also violates the enum: report it once. */
function withoutRepetitions(errors: readonly SchemaViolation[]): readonly SchemaViolation[] {
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  return errors.filter(({ keyword, instancePath }) => keyword !== 'enum' || !mistyped.has(instancePath));
}

/** `faultOf`, explained: the failure, or null. */
export function validate(operation: Operation, params: unknown, lineBase?: LineBase): Failure | null {
  return faultOf(operation, params, lineBase)?.() ?? null;
}

/** Nesting of a large text at most: the parameters, a list, its item. Members without a schema may be deeper. */
const deepest = 3;

/** The schema sees a large text as a string; no schema limits its length. */
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
  const edits = memberOf(params, operation.lineEdits);
  // The edits have been checked against the schema from which LineEdit is derived.
  return edits === undefined ? null : checkEdits(edits as readonly ValidLineEdit[], lineBase);
}

/** @param name of the parameter; undefined if the operation has none of that kind */
function memberOf(params: unknown, name: string | undefined): unknown {
  return name === undefined || !isObject(params) ? undefined : params[name];
}

/**
 * The guard before ajv: walks arrays and objects along the schema and reports those with too many items or members for
 * ajv. It also reports strings that are not well-formed Unicode, which would silently be written as U+FFFD; file names
 * are left to checkFilename (`exempt`).
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
