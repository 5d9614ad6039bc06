import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../../fast-check.js';
import { jsonOf } from '../../../../src/core/json/json-of.js';
import { cutText } from '../../../../src/protocols/mcp/tools/cut-text.js';

/** Characters that take one to six bytes in JSON, and line breaks. */
const character = fc.constantFrom(
  'a',
  '"',
  '\\',
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\u0001',
  'é',
  '€',
  '😀',
  '\u2028',
  'n',
  'u',
  'r',
);
const text = fc.array(character, { maxLength: 60 }).map((characters) => characters.join(''));

const fits = (part: string, room: { characters: number; bytes: number }): boolean =>
  Array.from(part).length <= room.characters && Buffer.byteLength(jsonOf(part)) - 2 <= room.bytes;

/** The part of a text that fits: whole lines or, if not even one fits, characters. */
function oracle(whole: string, room: { characters: number; bytes: number }, exact: boolean): object | null {
  if (fits(whole, room)) return null;
  const ends = Array.from(whole.matchAll(/\r\n|\n|\r/g), ({ index, 0: end }) => index + (exact ? end.length : 0));
  const lines = ends.filter((end) => fits(whole.slice(0, end), room)).length;
  if (lines > 0) return { text: whole.slice(0, ends[lines - 1]), lines };
  let part = '';
  for (const each of whole) {
    if (!fits(part + each, room)) break;
    part += each;
  }
  return { text: part, lines };
}

describe('a text cut to fit', () => {
  it('contains the whole lines that fit, or what fits of the first', () => {
    fc.assert(
      fc.property(text, fc.nat(60), fc.nat(120), fc.boolean(), (whole, characters, bytes, exact) => {
        const room = { characters, bytes };
        const given = exact ? whole : whole.replaceAll('\r', '');
        const cut = cutText(Buffer.from(jsonOf(given)), room, exact);
        const expected = oracle(given, room, exact);
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
