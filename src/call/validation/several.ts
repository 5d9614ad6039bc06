import { isObject } from '../../core/json/json-body.js';
import type { Operation } from '../../core/operations.js';
import type { Violation } from '../../core/violations.js';

/**
 * A schema cannot express that exactly one of two parameters is given without making its errors hard to read.
 * @param params may violate the schema in other ways
 */
export function wrongChoice({ eitherOf }: Operation, params: unknown): readonly Violation[] {
  if (eitherOf === undefined || !isObject(params)) return [];
  const [first, second] = eitherOf;
  const given = eitherOf.filter((name) => params[name] !== undefined);
  if (given.length === 1) return [];
  return given.length === 0
    ? [{ pointer: `/${first}`, problem: 'is required', hint: `expected ${first}, or ${second}.` }]
    : [{ pointer: `/${second}`, problem: `must not be beside ${first}`, hint: 'send one of the two.' }];
}

/**
 * Rules that a schema cannot express for a call about one path or several files (spec 17): exactly one of the two is
 * given, and nothing but what holds for all files stands beside a list of them.
 * @param params may violate the schema in other ways
 */
export function wrongSeveral(
  { paths: [path = ''] = [], several, lineNumbers = {} }: Operation,
  params: unknown,
): readonly Violation[] {
  if (several === undefined || !isObject(params)) return [];
  const has = (name: string): boolean => params[name] !== undefined;
  if (!has(several)) {
    return has(path)
      ? []
      : [{ pointer: `/${path}`, problem: 'is required', hint: `expected a string, or ${several} for several files.` }];
  }
  const bounds = Object.keys(lineNumbers).map((pointer) => pointer.slice(1));
  const hint = `leave it out: each item of ${several} has a path and bounds of its own.`;
  return [path, ...bounds]
    .filter(has)
    .map((name) => ({ pointer: `/${name}`, problem: `must not be beside ${several}`, hint }));
}
