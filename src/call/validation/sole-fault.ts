/** Finds faults that get a dedicated message if nothing else is wrong with the parameters (spec 5.5). */
import { failure, type Failure, type LineBase } from '../../core/errors.js';
import { oneLine } from '../../core/names/nearest.js';
import type { Operation } from '../../core/operations.js';
import type { SchemaViolation } from './compiled.js';
import { valueAt } from './explain.js';
import { maxViolations, parametersAt } from '../../core/violations.js';

/**
 * The failure if the only faults are line numbers that are not integers in range, or unknown kinds of edits; otherwise
 * undefined.
 * @param errors all violations of the schema, at least one
 * @param lineBase number of the caller's first line
 */
export function soleFault(
  operation: Operation,
  errors: readonly SchemaViolation[],
  params: unknown,
  lineBase: LineBase,
): Failure | undefined {
  const { lineNumbers = {}, lineEdits } = operation;
  if (errors.every(({ instancePath }) => Object.hasOwn(lineNumbers, patternOf(instancePath)))) {
    return failure('invalid_range', `Line numbers must be ${lineBase === 0 ? 'non-negative' : 'positive'} integers`, {
      details: `Send a whole number from ${String(lineBase)} up as ${places(errors)}.`,
      parameters: parametersOf(errors),
    });
  }
  const kind = `/${String(lineEdits)}/*/operation`;
  // A kind that is not a string also has the wrong type and is explained as such.
  if (errors.every(({ instancePath, keyword }) => patternOf(instancePath) === kind && keyword === 'enum')) {
    const [first = ''] = errors.map(({ instancePath }) => String(valueAt(instancePath, params)));
    return failure('invalid_params', `Invalid edit operation: ${oneLine(first)}`, {
      details: `Send "replace", "insert" or "delete" as ${places(errors)}.`,
      parameters: parametersOf(errors),
    });
  }
  return undefined;
}

/** The pointer with * for each index, as in `lineNumbers` of the table. */
function patternOf(pointer: string): string {
  return pointer.replaceAll(/\/\d+/g, '/*');
}

function places(errors: readonly SchemaViolation[]): string {
  return pointersOf(errors).slice(0, maxViolations).join(', ');
}

function parametersOf(errors: readonly SchemaViolation[]): string[] {
  return parametersAt(pointersOf(errors).map((pointer) => ({ pointer })));
}

/** Deduplicated: one value may violate several keywords. */
function pointersOf(errors: readonly SchemaViolation[]): string[] {
  return [...new Set(errors.map(({ instancePath }) => instancePath))];
}
