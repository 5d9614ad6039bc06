/** Spec 18: taking a change back is a merge by lines. git is the judge. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { Overlap, withoutChange } from '../../workers/history/merge.js';
import { withDirectory } from '../directory.js';

const bytes = (text: string): Buffer => Buffer.from(text);

/** Texts whose lines are all different, so that every program finds the same differences. */
const base = fc.integer({ min: 0, max: 9 }).map((count) => Array.from({ length: count }, (_, line) => `line ${line}`));
const edit = fc.record({
  at: fc.nat(9),
  remove: fc.nat(2),
  add: fc.array(fc.constantFrom('new', 'more', 'other'), { maxLength: 2 }),
});

function edited(
  lines: readonly string[],
  { at, remove, add }: { at: number; remove: number; add: string[] },
  side: string,
): string[] {
  const start = Math.min(at, lines.length);
  return [
    ...lines.slice(0, start),
    ...add.map((text, index) => `${side} ${text} ${index}`),
    ...lines.slice(start + remove),
  ];
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe('taking a change back where others went on', () => {
  it('gives what git merges, and refuses what git cannot merge', () =>
    withDirectory({}, (directory) => {
      const merged = (ours: string, left: string, theirs: string): string | undefined => {
        for (const [name, text] of Object.entries({ ours, left, theirs })) writeFileSync(join(directory, name), text);
        const { status, stdout } = spawnSync('git', ['merge-file', '-p', 'ours', 'left', 'theirs'], {
          cwd: directory,
          encoding: 'utf8',
        });
        return status === 0 ? stdout : undefined;
      };
      fc.assert(
        fc.property(base, edit, edit, (lines, back, later) => {
          const [left, before, now] = [
            textOf(lines),
            textOf(edited(lines, back, 'before')),
            textOf(edited(lines, later, 'now')),
          ];
          fc.pre(before !== left && now !== left);
          const found = withoutChange(bytes(left), bytes(before), bytes(now));
          const expected = merged(now, left, before);
          // Only removals of the same lines are no conflict for git.
          if (found instanceof Overlap && expected !== undefined) {
            assert.ok(back.add.length === 0 && later.add.length === 0);
            return;
          }
          assert.equal(found instanceof Overlap ? undefined : found?.toString(), expected);
        }),
        { numRuns: 150 },
      );
    }));

  it('names the line of the text as it is now', () => {
    const left = bytes('a\nB\nc\nd\n');
    assert.deepEqual(withoutChange(left, bytes('a\nb\nc\nd\n'), bytes('new\na\nB!\nc\nd\n')), new Overlap(3));
  });

  it('refuses lines that lie against each other', () => {
    const left = bytes('a\nB\nc\nd\n');
    const before = bytes('a\nb\nc\nd\n');
    assert.ok(withoutChange(left, before, bytes('a\nB\nC\nd\n')) instanceof Overlap);
    assert.deepEqual(withoutChange(left, before, bytes('a\nB\nc\nD\n')), bytes('a\nb\nc\nD\n'));
  });

  it('keeps line breaks of every kind, and a last line without one', () => {
    assert.deepEqual(
      withoutChange(bytes('A\r\nb\r\nc'), bytes('a\r\nb\r\nc'), bytes('A\r\nb\r\nC')),
      bytes('a\r\nb\r\nC'),
    );
  });

  it('does not try it with bytes that are no text', () => {
    assert.equal(withoutChange(bytes('a'), Buffer.of(0xff), bytes('b')), undefined);
  });
});
