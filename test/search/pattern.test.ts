import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperationError } from '../../src/core/errors.js';
import { Pattern } from '../../workers/search/pattern.js';
import { matchText } from '../../workers/search/match.js';
import { found, linesFound } from './oracle.js';

function refused(pattern: string, message: RegExp, details: RegExp): void {
  assert.throws(
    () => new Pattern({ pattern, literal: false, ignoreCase: false }),
    (error: unknown) => {
      assert.ok(error instanceof OperationError, String(error));
      const { failure } = error;
      assert.equal(failure.kind, 'invalid_params');
      assert.match(failure.message, message);
      assert.match(failure.details, details);
      assert.match(failure.details, /literal: true|Send smaller numbers|told by view/);
      return true;
    },
    pattern,
  );
}

describe('what a pattern may be', () => {
  it('refuses lookaround and backreferences by name', () => {
    refused('a(?=b)', /uses a lookahead at character 2, which is not supported/, /Search without/);
    refused('a(?!b)', /a lookahead/, /Search without/);
    refused('(?<=a)b', /a lookbehind at character 1/, /Search without/);
    refused('(?<!a)b', /a lookbehind/, /Search without/);
    refused('(a)\\1', /a backreference at character 4/, /Write out/);
    refused('(?<x>a)\\k<x>', /a backreference/, /Write out/);
  });

  it('refuses what is no expression, and says where and what to send instead', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['foo(', /unclosed group at character 4/],
      ['foo)', /unmatched \) at character 4/],
      ['[a', /unclosed \[ at character 1/],
      ['*a', /nothing to repeat at character 1/],
      ['a**', /nothing to repeat at character 3/],
      ['x{1,1000}{1,1000}', /nothing to repeat at character 10/],
      ['{2}', /nothing to repeat at character 1/],
      ['^*', /quantifier after an assertion/],
      ['a{2,1}', /numbers out of order/],
      ['[b-a]', /range out of order/],
      ['a\\', /backslash without a character/],
      ['(?i)a', /flags at character 1/],
      ['(?>a)', /unknown kind of group/],
      ['(?<n>a)(?<n>b)', /second group of the same name at character 8/],
      ['\\p{Foo}', /unknown Unicode property/],
      ['\\01', /octal escape/],
      ['[\\1]', /octal escape/],
      ['('.repeat(10_000), /nested too deeply/],
    ];
    for (const [pattern, message] of cases) refused(pattern, message, /./);
  });

  it('refuses what would have to be millions of characters long', () => {
    for (const pattern of ['(x{1,1000}){1,1000}', '((a{99}){99}){99}', 'x{1000000000}', '(?:ab){5001}']) {
      refused(pattern, /too large/, /Send smaller numbers/);
    }
  });

  it('takes needless backslashes and lone braces as they stand', () => {
    assert.deepEqual(linesFound('a-b\na_b\n', 'a\\-b'), [1]);
    assert.deepEqual(linesFound('"x"\n', '\\"x\\"'), [1]);
    assert.deepEqual(linesFound('f() {\n}\n', '{'), [1]);
    assert.deepEqual(linesFound('f() {\n}\n', '^}$'), [2]);
    assert.deepEqual(linesFound('a{,5}\na{x}\n', 'a{,5}'), [1]);
    assert.deepEqual(linesFound('a]\n', 'a]'), [1]);
    assert.deepEqual(linesFound('a-z\nq\n', '[\\w-]-'), [1]);
  });

  it('takes whole code points for characters', () => {
    assert.deepEqual(linesFound('a😀b\n', '^a.b$'), [1]);
    assert.deepEqual(linesFound('a😀b\n', '^a[^x]b$'), [1]);
    assert.deepEqual(linesFound('a😀b\n', '^a..b$'), []);
    assert.deepEqual(linesFound('😀😀\n', '^😀{2}$'), [1]);
    assert.deepEqual(linesFound('😀\n', '\\u{1F600}'), [1]);
    assert.deepEqual(linesFound('😀\n', '\\ud83d\\ude00'), [1]);
    assert.deepEqual(linesFound('\uFFFD\n', '\\ud83d'), []);
  });

  it('ignores case as the flags iu do', () => {
    const ignoreCase = true;
    assert.deepEqual(linesFound('\u212A\nK\nk\n', 'k', { ignoreCase }), [1, 2, 3]);
    assert.deepEqual(linesFound('ſ\n', 'S', { ignoreCase, literal: true }), [1]);
    assert.deepEqual(linesFound('ÄÖÜ\n', 'äöü', { ignoreCase, literal: true }), [1]);
    assert.deepEqual(linesFound('STRASSE\nSTRAßE\n', 'straße', { ignoreCase }), [2]);
    assert.deepEqual(linesFound('Error: X\nerror\n', 'ERROR: x', { ignoreCase }), [1]);
  });

  it('takes a literal text as it is', () => {
    assert.deepEqual(linesFound('a.b\naxb\n', 'a.b', { literal: true }), [1]);
    assert.deepEqual(linesFound('(?=x)\n', '(?=x)', { literal: true }), [1]);
    const long = 'abc'.repeat(40_000);
    assert.deepEqual(linesFound(`abc\n${long}\n`, long, { literal: true }), [2]);
  });

  it('finds letters in either case wherever they are in a large text', () => {
    const filler = `${'nothing here, '.repeat(5)}\n`.repeat(1_000);
    for (let shift = 0; shift < 12; shift++) {
      const before = filler.slice(0, 65_536 - shift);
      const text = `${before}\nneEDle\n${filler}needl\nNEEDLE`;
      const last = text.split('\n').length;
      const first = before.split('\n').length + 1;
      assert.deepEqual(linesFound(text, 'needle', { ignoreCase: true }), [first, last]);
      assert.deepEqual(linesFound(text, '\\bne+dle$', { ignoreCase: true }), [first, last]);
    }
  });

  it('never finds what spans lines', () => {
    assert.deepEqual(linesFound('a\nb\r\nc\n', 'a\\s+b|b[^x]c|c\\s'), []);
    assert.deepEqual(linesFound('a\nb\r\nc\n', '[^\\n]*[^\\r\\n]$'), [1, 2, 3]);
    assert.deepEqual(linesFound('a\tb\nc\n', '[\\t-\\r]'), [1]);
  });

  it('refuses a separator of lines, however it is written', () => {
    const written = [
      '\\n',
      '\\r',
      '\\r?\\n',
      '\n',
      '\r',
      '\\x0a',
      '\\x0D',
      '\\u000a',
      '\\u{a}',
      '\\u{00D}',
      '\\cJ',
      '\\cm',
    ];
    for (const each of [...written, '[\\n]', '[ \\t\\r]', '[a\n]']) {
      refused(
        `ab${each}c`,
        /has a line break at character [345678], and a match never spans lines/,
        /view: \[line breaks/,
      );
    }
    for (const pattern of ['a\nb', 'a\r\n']) {
      assert.throws(() => new Pattern({ pattern, literal: true, ignoreCase: false }), /has a line break, and a match/);
    }
  });

  it('takes classes of POSIX, and refuses unknown ones', () => {
    assert.deepEqual(linesFound('3 apples\nd: apples\n', '^[[:digit:]]+ apples'), [1]);
    assert.deepEqual(linesFound('a-1\nb_2\n', '[[:alpha:]_][-[:punct:]][^[:space:]]'), [1, 2]);
    assert.deepEqual(linesFound('[:\nx\n', '[[:]'), [1]);
    refused('[[:vowel:]]', /unknown POSIX class \[:vowel:\] at character 2/, /Send its characters/);
  });
});

describe('the time of a search', () => {
  it('grows linearly, whatever the pattern', () => {
    const line = `${'a'.repeat(50_000)}c\n`;
    const patterns = [
      '^(a+)+$',
      '(.*)*x',
      '(a|a)*b',
      '(a|aa)+$',
      '(a*)*b',
      '(?:a?){50}a{50}b',
      'a.{50}b',
      '(\\w+\\s?)+:',
    ];
    for (const pattern of [...patterns, '([a-c]+)+[^a-c]', 'x{1,1000}', '.*.*.*.*=.*', '(.{1,99}){1,99}x']) {
      for (const ignoreCase of [false, true]) {
        const start = process.cpuUsage();
        assert.equal(found(line, pattern, { ignoreCase }).count, 0);
        const time = process.cpuUsage(start).user / 1000;
        assert.ok(time < 3_000, `${pattern} took ${time} ms`);
      }
    }
  });

  it('is passed in steps, so that other calls can have their turn', () => {
    const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, number) => number.toString(2)).join(''));
    const pattern = new Pattern({ pattern: '0.{400}[^01]', literal: false, ignoreCase: false });
    let [longest, steps] = [0, 0];
    const search = matchText(bytes, pattern, { after: 0, limit: 1, context: 0, characters: Infinity });
    for (let done = false; !done; steps++) {
      const start = process.cpuUsage();
      done = search.next().done === true;
      longest = Math.max(longest, process.cpuUsage(start).user / 1000);
    }
    assert.ok(steps > 10, `${steps} steps`);
    assert.ok(longest < 500, `${longest} ms`);
  });
});
