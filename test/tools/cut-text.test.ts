import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { jsonOf } from '../../src/json/json-of.js';
import { cutText } from '../../src/tools/cut-text.js';

/** Characters that take one to six bytes in JSON, and line breaks. */
const character = fc.constantFrom('a', '"', '\\', '\n', '\t', '\u0001', 'é', '€', '😀', '\u2028', 'n', 'u');
const text = fc.array(character, { maxLength: 60 }).map((characters) => characters.join(''));

/** What is left of a text where there is room for so many characters. */
function oracle(whole: string, room: number): { text: string; lines: number } | null {
  const characters = Array.from(whole);
  if (characters.length <= room) return null;
  // A line fits if the break after it would be the first character without room.
  const ends = [...characters.entries()].filter(([at, each]) => each === '\n' && at <= room).map(([at]) => at);
  const end = ends.at(-1);
  return { text: characters.slice(0, end ?? room).join(''), lines: ends.length };
}

describe('a text that is cut', () => {
  it('holds the whole lines that fit, or what fits of the first', () => {
    fc.assert(
      fc.property(text, fc.nat(60), (whole, room) => {
        const cut = cutText(Buffer.from(jsonOf(whole)), room);
        const expected = oracle(whole, room);
        if (cut === null) {
          assert.equal(expected, null);
          return;
        }
        const kept: unknown = JSON.parse(`${Buffer.from(cut.bytes).toString()}"`);
        assert.deepEqual({ text: kept, lines: cut.lines }, expected);
        assert.equal(cut.characters, Array.from(String(kept)).length);
      }),
      { numRuns: 2000 },
    );
  });
});
