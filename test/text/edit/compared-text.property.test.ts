import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../fast-check.js';
import { ComparedText } from '../../../workers/text/edit/compared-text.js';
import { diffOfChanges } from '../../../workers/text/edit/diff-of-changes.js';
import { gitApplied, plainMode } from './git-apply.js';

/** Texts of lines that occur once, several times or very often, long enough to be compared by anchors. */
const line = fc.oneof(
  { weight: 4, arbitrary: fc.nat(100_000).map((number) => `line ${number} occurs once;\n`) },
  { weight: 2, arbitrary: fc.nat(5).map((number) => `line ${number} occurs several times;\r\n`) },
  { weight: 2, arbitrary: fc.constantFrom('}\n', '\n', '  }\n', 'return;\n') },
);
const lines = fc.array(line, { minLength: 250, maxLength: 500, size: 'max' });
const place = fc.nat(500);
const change = fc.oneof(
  fc.record({ kind: fc.constant('splice'), at: place, removed: fc.nat(30), added: fc.array(line, { maxLength: 5 }) }),
  fc.record({ kind: fc.constant('move'), at: place, removed: fc.nat(60), to: place }),
  fc.record({ kind: fc.constant('copy'), at: place, removed: fc.nat(20), to: place }),
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function changed(old: readonly string[], one: Change): readonly string[] {
  const block = old.slice(one.at, one.at + one.removed);
  if ('added' in one) return old.toSpliced(one.at, one.removed, ...one.added);
  return (one.kind === 'move' ? old.toSpliced(one.at, one.removed) : old).toSpliced(one.to, 0, ...block);
}

const texts = fc
  .tuple(lines, fc.array(change, { minLength: 1, maxLength: 6 }), fc.constantFrom('', 'no line break'), fc.boolean())
  .map(([old, changes, end, atBoth]) => ({
    old: Buffer.from(old.join('') + (atBoth ? end : '')),
    text: Buffer.from(changes.reduce(changed, old).join('') + end),
  }));

test('the changes of a whole text make the new text of the old one, and git makes it too: 100 texts', () => {
  let several = 0;
  fc.assert(
    fc.property(texts, ({ old, text }) => {
      const changes = [...new ComparedText(old, text).changes()];
      let [oldAt, newAt] = [0, 0];
      for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
        assert.ok(oldEnd > oldStart || newEnd > newStart);
        assert.deepEqual(old.subarray(oldAt, oldStart), text.subarray(newAt, newStart));
        [oldAt, newAt] = [oldEnd, newEnd];
      }
      assert.deepEqual(old.subarray(oldAt), text.subarray(newAt));
      if (changes.length > 1) several += 1;
      const diff = diffOfChanges([{ oldPath: 'a', newPath: 'a', mode: plainMode, old, new: text }]);
      if (diff === '') return;
      const result = gitApplied(new Map([['a', { bytes: old, mode: plainMode }]]), diff);
      assert.equal(result.get('a')?.bytes.toString(), text.toString());
    }),
    { numRuns: 100, seed: 36 },
  );
  assert.ok(several > 50, `only ${several} have several changes`);
});

test('lines with the same hash are compared', () => {
  // "liquid" and "costarring" have the same FNV-1a hash of 32 bits.
  const between = (start: string, one: string, unit: string): Buffer =>
    Buffer.from(`${start}\n${one}\n${unit.repeat(1_000)}`);
  const old = between('x', 'liquid', 'old line\n');
  const text = between('y', 'costarring', 'new line.\n');
  const changes = [...new ComparedText(old, text).changes()];
  assert.deepEqual(changes, [{ oldStart: 0, oldEnd: old.length - 1, newStart: 0, newEnd: text.length - 1 }]);
});
