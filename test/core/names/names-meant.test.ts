/** Spec 15: suggested names, and how they are worded. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { NamesMeant } from '../../../src/core/names/names-meant.js';
import { didYouMeanOneOf, toldApart } from '../../../src/core/names/names-in-messages.js';

const namesOf = (names: readonly string[]): NamesMeant<{ readonly name: string }> =>
  new NamesMeant(names.map((name) => ({ name })));
const near = (asked: string, names: readonly string[]): string[] =>
  namesOf(names)
    .areNear(asked)
    .map(({ name }) => name);
const alike = (asked: string, names: readonly string[]): string[] =>
  namesOf(names)
    .areAlike(asked)
    .map(({ name }) => name);

const spaces = [' ', '\u00a0', '\u2003', '\u2009', '\u202f', '\u3000'];
/** Valid name characters of several scripts, composed and decomposed, with marks and spaces. */
const character = fc.oneof(
  fc.constantFrom(
    ...Array.from('abzABZ019.-_'),
    ...spaces,
    'é',
    'e\u0301',
    'Ä',
    'ß',
    'ﬁ',
    'σ',
    'ς',
    'Σ',
    'ǅ',
    '한',
    '\u212b',
    'ı',
    'İ',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);
const name = fc.array(character, { minLength: 1, maxLength: 12 }).map((characters) => characters.join(''));
/** Changes to a name that keep it the same name. */
const changes = fc.array(
  fc.constantFrom<(text: string) => string>(
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => text.normalize('NFC'),
    (text) => text.normalize('NFD'),
    (text) => text.replaceAll(/\s/g, '\u202f'),
    (text) => text.replaceAll(/\s/g, ' '),
  ),
  { minLength: 1, maxLength: 4 },
);

describe('a name that is equal except for case, Unicode form and kinds of spaces', () => {
  it('is always found', () => {
    fc.assert(
      fc.property(name, changes, fc.array(name, { maxLength: 5 }), (wanted, ways, others) => {
        const asked = ways.reduce((text, change) => change(text), wanted);
        fc.pre(asked !== wanted && (!wanted.startsWith('.') || asked.startsWith('.')));
        assert.ok(alike(asked, [...others, wanted]).includes(wanted), JSON.stringify([asked, wanted]));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is found alone', () => {
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 5 }), (asked, names) => {
        for (const found of alike(asked, names)) assert.ok(names.includes(found) && found !== asked);
      }),
    );
    assert.deepEqual(alike('x2.txt', ['x\u00b2.txt', 'x-2.txt', 'x2.txt ', 'x2.txt']), []);
  });

  it('is worded so that it can be sent, and visibly differs from the requested one', () => {
    fc.assert(
      fc.property(name, changes, (wanted, ways) => {
        const asked = ways.reduce((text, change) => change(text), wanted);
        fc.pre(asked !== wanted && !/['"\\]/.test(wanted));
        const [, told = ''] = /^'(.*)'(?: with U\+.*)?$/s.exec(toldApart(wanted, asked)) ?? [];
        assert.equal(JSON.parse(`"${told}"`), wanted);
        assert.doesNotMatch(told, /(?! )[\p{Z}\p{C}]/u);
        if (asked.toLowerCase().toUpperCase() !== wanted.toLowerCase().toUpperCase()) {
          assert.match(toldApart(wanted, asked), / with U\+[0-9A-F]{4,6}/);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('a misspelled name', () => {
  const cases: readonly (readonly [asked: string, names: readonly string[], meant: readonly string[]])[] = [
    ['REAMDE.md', ['README.md', 'other.md'], ['README.md']],
    ['reamde.md', ['README.md'], ['README.md']],
    ['notes', ['note', 'nodes', 'nites1'], ['note', 'nodes']],
    ['notes1', ['note', 'no1'], ['note']],
    ['ab.md', ['ax.md', 'xy.md'], ['ax.md']],
    ['README', ['READMEs', 'README.md', 'README.tar.gz'], ['README.md', 'READMEs']],
    ['README.md', ['README'], ['README']],
    ['.env', ['.env.local', 'env'], ['.env.local', 'env']],
    ['env', ['.env', 'env.'], ['env.']],
    ['x'.repeat(255), ['x'.repeat(254), 'x'.repeat(252)], ['x'.repeat(254)]],
    ['', ['a', '.a'], ['a']],
  ];
  for (const [asked, names, meant] of cases) {
    it(`${JSON.stringify(asked.slice(0, 20))} among ${names.map((each) => each.slice(0, 20)).join(', ')}`, () => {
      assert.deepEqual(near(asked, names), meant);
    });
  }
});

describe('suggested names in a question', () => {
  it('are joined as in a sentence, and say where they are', () => {
    assert.equal(didYouMeanOneOf([], 'x'), '');
    assert.equal(didYouMeanOneOf(['a'], 'x'), "Did you mean 'a'? ");
    assert.equal(didYouMeanOneOf(['a', 'b'], 'x', 'n/m'), "Did you mean 'a' or 'b' in 'n/m'? ");
    assert.equal(didYouMeanOneOf(['a', 'b', 'c'], 'x'), "Did you mean 'a', 'b' or 'c'? ");
  });

  it('hide nothing: invisible characters are escaped, and the first of them named', () => {
    const told: readonly (readonly [name: string, asked: string, told: string])[] = [
      ['a\u202e.md', 'a.md', "'a\\u202e.md' with U+202E"],
      ['a\n.md', 'a.md', "'a\\u000a.md' with U+000A"],
      ['\u{e0001}b.md', 'b.md', "'\\udb40\\udc01b.md' with U+E0001"],
      ['\u00a0\u2003\u2009\u202f', 'x', "'\\u00a0\\u2003\\u2009\\u202f' with U+00A0, U+2003, U+2009, …"],
      ['a;.md', 'a\u037e.md', "'a;.md' with U+003B"],
      ['名前.md', '名刺.md', "'名前.md'"],
      ['ÉTÉ.md', 'été.md', "'ÉTÉ.md'"],
      ['e\u0301t\u00e9.md', '\u00e9te\u0301.md', "'e\\u0301t\\u00e9.md' with U+0301, U+00E9"],
    ];
    for (const [name, asked, words] of told) assert.equal(toldApart(name, asked), words);
  });
});
