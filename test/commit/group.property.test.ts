/** Spec 6: edits committed together have the same effect as one after the other. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import fc from '../fast-check.js';
import type { LineEdit } from '../../src/core/operations.js';
import type { TaskAnswer } from '../../src/core/thread/task.js';
import { hashOf } from '../../workers/text/text-file.js';
import { withDirectory, writeFinished } from '../directory.js';
import { editedByOracle, linesOf } from '../text/edit/oracle.js';
import { GroupScene, type Edit } from './group-scene.js';

const maxBytes = 60;
const maxLines = 12;

const separator = fc.constantFrom('\n', '\n', '\r\n', '\r');
const line = fc.constantFrom('', 'a', 'bc', '漢', '\uFEFF');
const text = fc
  .tuple(fc.array(fc.tuple(line, separator), { maxLength: 4 }), line)
  .map(([ended, last]) => ended.flat().join('') + last);

const edit: fc.Arbitrary<LineEdit> = fc.oneof(
  fc.record({ line: fc.integer({ min: 1, max: 7 }), operation: fc.constant('insert' as const), content: text }),
  fc.record({ line: fc.integer({ min: 1, max: 5 }), operation: fc.constant('replace' as const), content: text }),
  fc.record({ line: fc.integer({ min: 1, max: 5 }), operation: fc.constant('delete' as const) }),
);

/** The version a request expects. */
const expectation = fc.constantFrom('nothing', 'nothing', 'nothing', 'nothing', 'it', 'another', 'any');
const request = fc.record({
  edits: fc.oneof(fc.constant([]), fc.array(edit, { maxLength: 3 })),
  append: fc.oneof(
    fc.constant(undefined),
    text,
    line.map((each) => `${each}\n`),
  ),
  create: fc.boolean(),
  expects: expectation,
});
type Request = typeof request extends fc.Arbitrary<infer Each> ? Each : never;

/** The expected outcome of a request, worded like the actual one. */
interface Expected {
  readonly text: string | undefined;
  readonly says: unknown;
}

const sizeOf = (content: string): number => Buffer.byteLength(content);
const hash = (content: string): string => hashOf(Buffer.from(content));

/** Runs the requests one by one through the oracle. */
function expected(found: string | undefined, { edits, append, create, expects }: Request): Expected {
  const refused = (message: string): Expected => ({ text: found, says: message });
  const old = found ?? '';
  if (found === undefined && expects !== 'nothing') return refused("File 'a.txt' has changed");
  if (found === undefined && !create) return refused("File 'a.txt' not found and create_if_missing is false");
  if (expects === 'another') return refused("File 'a.txt' has changed");
  let made: { text: string; linesModified: number; totalLines: number };
  try {
    made = editedByOracle(old, edits, append);
  } catch (error) {
    return refused(error instanceof Error ? error.message : '');
  }
  if (sizeOf(made.text) > maxBytes) return refused('too large');
  if (made.totalLines > maxLines) return refused(`File has ${made.totalLines} lines, exceeds maximum ${maxLines}`);
  const { linesModified, totalLines } = made;
  return { text: made.text, says: [linesModified, found === undefined, totalLines, hash(made.text)] };
}

function asEdit({ edits, append, create, expects }: Request, found: string | undefined): Edit {
  const now = hash(found ?? '');
  return {
    edits,
    create_if_missing: create,
    return_hash: true,
    ...(append === undefined ? {} : { append }),
    ...(expects === 'it' ? { expected_hash: now } : {}),
    ...(expects === 'another' ? { precondition: ['0123456789abcdef', hash('another')] } : {}),
    ...(expects === 'any' ? { precondition: '*' as const } : {}),
  };
}

function said(outcome: TaskAnswer[number] | undefined): unknown {
  if (outcome?.ok === true) {
    const { lines_modified, file_created, new_total_lines, hash } = outcome.result;
    assert.equal(outcome.hash, hash);
    return [lines_modified, file_created, new_total_lines, hash];
  }
  if (outcome?.ok === false) return outcome.kind === 'too_large' ? 'too large' : outcome.message;
  return outcome;
}

test('a group of edits equals its edits in sequence, on 1,500 random files and groups', () =>
  withDirectory({}, async (directory) => {
    const scene = new GroupScene(directory, 'a.txt', { maxBytes, maxLines });
    const seen = new Map<string, number>();
    const see = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
    const group = fc.array(request, { minLength: 1, maxLength: 8 });
    const file = fc.option(text, { nil: undefined }).filter((content) => linesOf(content ?? '').length <= maxLines);
    await fc.assert(
      fc.asyncProperty(file, group, async (before, requests) => {
        rmSync(scene.path, { force: true });
        if (before !== undefined) writeFinished(scene.path, before);
        let current = before;
        const edits: Edit[] = [];
        const results = requests.map((each) => {
          edits.push(asEdit(each, current));
          const result = expected(current, each);
          current = result.text;
          return result;
        });
        const { answer, notices } = await scene.run(edits);
        assert.deepEqual(
          answer.map(said),
          results.map(({ says }) => says),
        );
        assert.equal(JSON.stringify(scene.text), JSON.stringify(current));
        assert.deepEqual(notices, []);
        for (const { says } of results) see(typeof says === 'string' ? says.replace(/\d+/g, 'N') : 'success');
        if (requests.filter(({ edits: none, append }) => none.length === 0 && append).length > 1) see('appends');
      }),
      { numRuns: 1_500 },
    );
    for (const what of [
      'success',
      'appends',
      "File 'a.txt' has changed",
      "File 'a.txt' not found and create_if_missing is false",
      'too large',
      'File has N lines, exceeds maximum N',
      'Line N out of range for replace operation',
      'Line N out of range for insert operation',
      'Conflicting edits on line N',
    ]) {
      assert.ok((seen.get(what) ?? 0) > 20, `${what}: seen ${String(seen.get(what))} times`);
    }
  }));
