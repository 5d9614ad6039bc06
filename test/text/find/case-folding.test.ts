import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from '../../fast-check.js';
import { fold, mostFolded } from '../../../workers/text/find/case-folding.js';

/** All characters. */
const characters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const folded = (text: string): string =>
  fold(Buffer.from(`é${text}`))
    .bytes.toString()
    .slice(1);

describe('case folding', () => {
  it('equates exactly the characters that the flags iu equate', () => {
    const firsts = Array.from(folded(characters.join('')));
    const classes = new Map<string, string[]>();
    for (const [index, character] of characters.entries()) {
      const first = firsts[index] ?? '';
      const members = classes.get(first);
      if (members === undefined) classes.set(first, [character]);
      else members.push(character);
    }
    const many = [...classes.values()].filter((members) => members.length > 1);
    assert.ok(many.length > 1_300, `only ${many.length} classes`);
    const cased = characters.filter((one) => /\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u.test(one));
    const alphabet = cased.join('');
    for (const character of cased) {
      const expected = alphabet.match(new RegExp(character, 'giu')) ?? [];
      assert.deepEqual(classes.get(folded(character)), expected);
    }
    // And no class contains a character outside the cased ones.
    assert.equal(many.flat().filter((one) => !cased.includes(one)).length, 0);
  });

  for (const [name, one, other, same] of [
    ['the Kelvin sign is a k', 'k', '\u212A', true],
    ['the long s is an s', 'S', 'ſ', true],
    ['the capital ß is a ß', 'ß', 'ẞ', true],
    ['ß is not ss', 'ß', 'ss', false],
    ['the Turkish İ is no i', 'i', 'İ', false],
    ['nor is the one without a dot', 'I', 'ı', false],
    ['all three sigmas', 'Σσ', 'ςΣ', true],
    ['letters beyond the first plane', '𐐀', '𐐨', true],
  ] as const) {
    it(name, () => assert.equal(folded(one) === folded(other), same));
  }

  it('gives the same result in ASCII alone as beside other characters', () => {
    const ascii = characters.slice(0, 128).join('');
    assert.equal(fold(Buffer.from(ascii)).bytes.toString(), folded(ascii));
  });
});

const text = fc.string({
  unit: fc.constantFrom('a', 'K', 'k', '\u212A', 'ſ', 'ß', 'ẞ', 'Ⱥ', 'ⱥ', 'İ', '😀', '漢', '\n'),
});

test('every character of the folded text maps back to the source', () => {
  fc.assert(
    fc.property(text, (source) => {
      const bytes = Buffer.from(source);
      const { bytes: result, sourceOffset } = fold(bytes);
      assert.ok(bytes.length <= mostFolded * result.length);
      let [from, to] = [0, 0];
      for (const character of source) {
        assert.equal(sourceOffset(to), from);
        from += Buffer.byteLength(character);
        to += fold(Buffer.from(character)).bytes.length;
      }
      assert.equal(to, result.length);
      assert.equal(sourceOffset(to), bytes.length);
    }),
    { numRuns: 2_000 },
  );
});

test('characters that are cut in two keep their bytes', () => {
  fc.assert(
    fc.property(text, fc.nat(40), fc.nat(40), (source, start, length) => {
      const whole = Buffer.from(source);
      const bytes = whole.subarray(start, start + length);
      const { bytes: result, sourceOffset } = fold(bytes);
      assert.equal(sourceOffset(result.length), bytes.length);
      const expected = Array.from(bytes.toString()).map((one) =>
        one === '\uFFFD' ? '' : fold(Buffer.from(one)).bytes.toString(),
      );
      assert.equal(result.toString().replaceAll('\uFFFD', ''), expected.join(''));
    }),
    { numRuns: 2_000 },
  );
});
