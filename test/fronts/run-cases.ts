import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { operations } from '../../src/core/operations.js';
import type { Case, ExpectedError, Files } from '../operations/case.js';
import { allCases } from '../operations/cases.js';
import { assertNoRepetition } from '../operations/repetition.js';
import { emptyDirectory } from '../directory.js';
import { assertDescribed } from './described-results.js';
import type { Answer, Front } from './fronts.js';
import { sharedSession, type SharedSession } from './shared-session.js';

function prepare(directory: string, test: Case): void {
  emptyDirectory(directory);
  for (const [path, content] of Object.entries(test.before ?? {})) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  for (const [path, make] of Object.entries(test.make ?? {})) make(join(directory, path));
  test.prepare?.(directory);
}

/** The same for the whole tree, by path: for the path tools. */
function filesBelow(directory: string, prefix = ''): Record<string, string> {
  const subdirectories = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== '.file-editor')
    .map(({ name }) => filesBelow(join(directory, name), `${prefix}${name}/`));
  const own = Object.entries(filesOf(directory)).map(([name, content]) => [`${prefix}${name}`, content] as const);
  return Object.assign(Object.fromEntries(own), ...subdirectories) as Record<string, string>;
}

/** Regular files by name, hidden ones included, with their bytes in a lossless text form. */
function filesOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { encoding: 'latin1' }).filter((name) => {
    const path = Buffer.from(`${directory}/${name}`, 'latin1');
    return Buffer.from(name, 'latin1').toString('utf8').includes('\ufffd') ? false : lstatSync(path).isFile();
  });
  return Object.fromEntries(
    names.map((name) => [
      Buffer.from(name, 'latin1').toString('utf8'),
      readFileSync(Buffer.from(`${directory}/${name}`, 'latin1')).toString('latin1'),
    ]),
  );
}

const expectedFiles = (files: Files): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString('latin1')]));

/** Equality, except that a pattern equals every text it matches. */
function assertMatches(actual: Record<string, unknown>, expected: Readonly<Record<string, unknown>>): void {
  const filled = Object.fromEntries(
    Object.entries(expected).map(([name, value]) => {
      const text = actual[name];
      return [name, value instanceof RegExp && typeof text === 'string' && value.test(text) ? text : value];
    }),
  );
  assert.deepEqual(actual, filled);
}

function assertDetails(message: string, details: string, expected: ExpectedError): void {
  assert.match(details, /^\S.*[.!?]$/s, 'details is a sentence');
  assertNoRepetition(message, details);
  assert.match(details, expected.details ?? /./);
}

function assertError(front: Front, answer: Answer, test: Case): void {
  assert.ok(test.error && !answer.ok, `expected an error, got ${JSON.stringify(answer).slice(0, 200)}`);
  const { code, status, message, data } = test.error;
  if (typeof message === 'string') assert.equal(answer.error.message, message);
  else assert.match(answer.error.message, message);
  if (front.tells !== undefined) {
    if (!('details' in answer.error.data)) return;
    assertDetails(answer.error.message, String(answer.error.data['details']), test.error);
    const { reason, path } = data ?? {};
    assert.deepEqual([answer.error.data['reason'], answer.error.data['path']], [reason, path]);
    return;
  }
  assert.equal(answer.error.code, code);
  if (answer.status !== undefined) assert.equal(answer.status, status);
  const { timestamp, details, filename, operation, ...rest } = answer.error.data;
  assert.equal(operation, test.call[0]);
  assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  assertDetails(answer.error.message, String(details), test.error);
  const params = test.call[1];
  if (typeof params === 'object' && params !== null && 'name' in params && typeof params.name === 'string') {
    assert.equal(filename, params.name.slice(0, 255));
  }
  assertMatches(rest, data ?? {});
}

/** The case in the front's terms. */
function asCalledBy(front: Front, { forgiven, error, ...test }: Case): Case {
  if (forgiven !== undefined && front.tells !== undefined) return { ...test, ...forgiven };
  return error === undefined ? test : { ...test, error };
}

async function check(front: Front, { session, directory }: SharedSession, given: Case): Promise<void> {
  const test = asCalledBy(front, given);
  prepare(directory, test);
  const answer = await session.call(...test.call);
  if (test.error === undefined) {
    assert.ok(answer.ok, `expected success, got ${JSON.stringify(answer).slice(0, 500)}`);
    const expected = typeof test.result === 'function' ? test.result(directory) : (test.result ?? {});
    assertMatches(answer.result, front.tells?.(test.call[0], expected) ?? expected);
    if (front.tells !== undefined && test.told !== undefined) assert.equal(answer.told, test.told);
    assertDescribed(test.call[0], answer.result, front.tells === undefined);
  } else {
    assertError(front, answer, test);
  }
  const below = operations.get(test.call[0])?.paths === undefined ? filesOf : filesBelow;
  assert.deepEqual(below(directory), expectedFiles(test.after ?? test.before ?? {}));
  test.check?.(directory);
  const reserved = join(directory, '.file-editor');
  const left = existsSync(reserved) ? readdirSync(reserved).filter((name) => name.endsWith('.tmp')) : [];
  assert.deepEqual(left, [], 'no temporary file is left');
}

/** Cases with the same options share a server. */
function byOptions(cases: readonly Case[]): Map<string, Case[]> {
  const groups = new Map<string, Case[]>();
  for (const test of cases) {
    const key = JSON.stringify(test.options ?? {});
    groups.set(key, [...(groups.get(key) ?? []), test]);
  }
  return groups;
}

/** The first `most` cases of each operation and outcome: for a second route to code that all cases cover by another. */
export function someOfEach(cases: readonly Case[], most: number): Case[] {
  const seen = new Map<string, number>();
  return cases.filter(({ call: [operation], options, error }) => {
    const kind = JSON.stringify([operation, options, error?.code]);
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    return count <= most;
  });
}

/** Run all cases, or only the given ones, through this front. */
export function runCases(front: Front, asked: readonly Case[] = allCases): void {
  describe(front.name, () => {
    for (const [key, cases] of byOptions(asked)) {
      describe(key === '{}' ? 'with default options' : `with options ${key}`, () => {
        const shared = sharedSession(front, cases[0]?.options ?? {});
        for (const test of cases) {
          it(`${test.call[0]} ${test.title}`, () => check(front, shared(), test));
        }
      });
    }
  });
}
