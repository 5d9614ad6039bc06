import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { OperationError } from '../../src/core/errors.js';
import { Pattern } from '../../workers/search/pattern.js';
import { atOnce } from '../../workers/turn.js';
import { firstMatch, linesExpected, linesFound } from './oracle.js';

const characters = [
  'a',
  'b',
  'A',
  'k',
  '\u212A',
  's',
  'ſ',
  'ß',
  'é',
  'É',
  '😀',
  '𐐀',
  '𐐨',
  '_',
  '1',
  '-',
  ' ',
  '\u2028',
];
const separators = ['\n', '\r\n', '\r', '\n\n'];

const texts = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.string({ unit: fc.constantFrom(...characters, ...characters, ...separators), maxLength: 40 }),
  )
  .map((parts) => parts.join(''));

const single = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...characters.map((each) => (each === '-' ? '\\x2d' : each))) },
  fc.constantFrom(
    '.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\p{Lu}',
    '\\P{Lu}',
    '\\p{L}',
    '\\u{1F600}',
    '[^\\n]',
  ),
  fc.constantFrom('[ab]', '[^a]', '[a-z]', '[^A-Z_]', '[\\w-]', '[é😀]', '[^\\p{L}]', '[]', '[^]', '[k-ſ]', '[^\\W]'),
);

/** Expressions that JavaScript takes with the flag `u`, of which it needs no exponential time for a short line. */
const { expression } = fc.letrec<{ expression: string; term: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    single,
    fc.array(tie('term'), { maxLength: 4 }).map((terms) => terms.join('')),
    fc.tuple(tie('expression'), tie('expression')).map(([one, other]) => `(?:${one}|${other})`),
  ),
  term: fc.oneof(
    { depthSize: 'small' },
    single,
    fc.constantFrom('^', '$', '\\b', '\\B'),
    fc
      .tuple(tie('expression'), fc.constantFrom('', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,3}?', '{2,}'))
      .map(([inside, quantifier]) => `(${inside})${quantifier}`),
    fc.tuple(single, fc.constantFrom('*', '+', '?', '{2}', '{1,3}')).map((parts) => parts.join('')),
  ),
}));

describe('a pattern', () => {
  it('finds the lines that the same expression of JavaScript matches', () => {
    fc.assert(
      fc.property(texts, expression, fc.boolean(), (text, pattern, ignoreCase) => {
        const expected = linesExpected(text, new RegExp(pattern, ignoreCase ? 'iu' : 'u'));
        assert.deepEqual(linesFound(text, pattern, { ignoreCase }), expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds the first match of a line where JavaScript finds it', () => {
    fc.assert(
      fc.property(texts, expression, fc.boolean(), (text, pattern, ignoreCase) => {
        const [line = ''] = text.split(/[\n\r\uFEFF]/);
        const expected = firstMatch(line, new RegExp(pattern, ignoreCase ? 'iu' : 'u'));
        if (expected === undefined) return;
        const bytes = Buffer.from(line);
        const sought = new Pattern({ pattern, literal: false, ignoreCase });
        const { start, end } = atOnce(sought.firstMatchIn(bytes, { start: 0, end: bytes.length }));
        assert.equal(bytes.toString('utf8', 0, start), expected.before);
        // JavaScript takes back a round of a repetition that has matched nothing; then the match may end elsewhere.
        if (!/\)[*+?{]/.test(pattern)) assert.equal(bytes.toString('utf8', start, end), expected.match);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds a literal text, whatever its characters', () => {
    const literals = fc.string({ unit: fc.constantFrom(...characters, '.', '*', '\\', '['), maxLength: 3 });
    fc.assert(
      fc.property(texts, literals, fc.boolean(), (text, pattern, ignoreCase) => {
        const escaped = pattern.replaceAll(/[.*\\[]/g, '\\$&');
        const expected = linesExpected(text, new RegExp(escaped, ignoreCase ? 'iu' : 'u'));
        assert.deepEqual(linesFound(text, pattern, { literal: true, ignoreCase }), expected);
      }),
    );
  });

  it('takes groups of one name as JavaScript does, or as it will: in different alternatives', () => {
    const { groups } = fc.letrec<{ groups: string; part: string }>((tie) => ({
      groups: fc
        .array(fc.array(tie('part'), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
        .map((options) => options.map((parts) => parts.join('')).join('|')),
      part: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('a', '(?<n>a)', '(?<m>b)'),
        tie('groups').map((inside) => `(?:${inside})`),
        tie('groups').map((inside) => `(?<n>${inside})`),
      ),
    }));
    fc.assert(
      fc.property(groups, (pattern) => {
        const [isOurs, isTheirs] = [isTaken(pattern), expressionOf(pattern) !== undefined];
        if (isTheirs) assert.ok(isOurs, pattern);
        // Older engines refuse them in different alternatives, too.
        if (!pattern.includes('|')) assert.equal(isOurs, isTheirs, pattern);
      }),
      { numRuns: 2_000 },
    );
    assert.ok(isTaken('(?<n>a)|(?<n>b)'));
    assert.ok(!isTaken('(?:(?<n>a)|b)(?<n>c)'));
    assert.ok(!isTaken('(?<n>a|(?<n>b))'));
  });

  it('takes a class of POSIX for the characters that it names', () => {
    const classes: Readonly<Record<string, string>> = {
      alnum: '0-9A-Za-z',
      alpha: 'A-Za-z',
      blank: ' \\t',
      cntrl: '\\0-\\x1f\\x7f',
      digit: '0-9',
      graph: '!-~',
      lower: 'a-z',
      print: ' -~',
      punct: '!-\\/:-@\\[-`\\{-~',
      space: ' \\t\\v\\f',
      upper: 'A-Z',
      word: '0-9A-Z_a-z',
      xdigit: '0-9A-Fa-f',
    };
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter(
      (each) => !/[\n\r]/.test(each),
    );
    const text = [...ascii, 'é', 'K', 'ſ', '٣', '\u00a0'].join('\n');
    for (const [name, characters] of Object.entries(classes)) {
      for (const ignoreCase of [false, true]) {
        const flags = ignoreCase ? 'iu' : 'u';
        const [theirs, others] = [characters, `^${characters}`].map((each) => {
          return linesExpected(text, new RegExp(`^[${each}]`, flags));
        });
        assert.deepEqual(linesFound(text, `^[[:${name}:]]`, { ignoreCase }), theirs, name);
        assert.deepEqual(linesFound(text, `^[^[:${name}:]]`, { ignoreCase }), others, name);
      }
    }
  });

  it('is compiled or refused, whatever it is', () => {
    const signs = Array.from('ab\\^$.|?*+()[]{}-,:=!<>/dwsbkpux0129');
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...signs), maxLength: 20 }),
        fc.boolean(),
        (pattern, ignoreCase) => {
          try {
            linesFound('aab{}\n(b)\n1-2\n\n\\', pattern, { ignoreCase });
          } catch (error) {
            assert.ok(error instanceof OperationError, String(error));
            assert.equal(error.kind, 'invalid_params');
          }
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('means what JavaScript takes it for without the flag u, in ASCII', () => {
    const signs = Array.from('ab\\^$.|?*+()[]{}-,:-/dwsbtux019');
    const line = fc.string({ unit: fc.constantFrom(...Array.from('ab{}(),-01xu\\ ]')), maxLength: 8 });
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...signs), maxLength: 9 }), line, (pattern, text) => {
        const expression = expressionOf(pattern);
        // What JavaScript takes for octal digits, or for the letter u several times, is refused or read as with `u`.
        if (expression === undefined || /\\[0-9]|\\u\{|\\x0[ad]|\\u000[ad]|\[:/i.test(pattern)) return;
        assert.deepEqual(linesFound(`${text}\n`, pattern), linesExpected(`${text}\n`, expression));
      }),
      { numRuns: 5_000 },
    );
  });
});

function isTaken(pattern: string): boolean {
  try {
    return new Pattern({ pattern, literal: false, ignoreCase: false }) instanceof Pattern;
  } catch (error) {
    assert.ok(error instanceof OperationError);
    return false;
  }
}

function expressionOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
