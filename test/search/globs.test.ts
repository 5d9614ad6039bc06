import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import picomatch from 'picomatch';
import { OperationError } from '../../src/core/errors.js';
import { Glob } from '../../src/core/globs/glob.js';

/** What grows faster than its pattern and name would take longer on any machine. */
const forEverMs = 10_000;

/** Whether a walk with this pattern would find the file: in each directory on the way, and then by its name. */
function finds(pattern: string, path: string, hidden = true): boolean {
  const glob = Glob.parse('pattern', pattern, hidden);
  const directories = path.split('/');
  const name = directories.pop() ?? '';
  const isReached = directories.every((_, index) => glob.reaches(directories.slice(0, index + 1)));
  return isReached && glob.namesIn(directories)(name);
}

/** The same, or the problem with the pattern. */
function findsOrFails(pattern: string, path: string): boolean | string {
  try {
    return finds(pattern, path);
  } catch (error) {
    assert.ok(error instanceof OperationError && error.kind === 'invalid_params');
    return error.message;
  }
}

const name = fc
  .array(fc.constantFrom('a', 'b', '-', '.', 'é', '😀'), { minLength: 1, maxLength: 4 })
  .map((all) => all.join(''));
const plainName = name.filter((each) => each !== '.' && each !== '..');
const path = fc.array(plainName, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

describe('a pattern for names', () => {
  it('means what it means to picomatch', () => {
    const piece = fc.constantFrom('a', 'b', '.', '-', '*', '*', '?', '[ab]', '[^a]', '[a-b]', '{a,b}', '{a,.b*}', 'é');
    const segment = fc.oneof(
      { weight: 1, arbitrary: fc.constant('**') },
      { weight: 4, arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((all) => all.join('')) },
    );
    const pattern = fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((segments) => segments.join('/'))
      // Differences: at its end, ** stands for at least one name here; dots alone are no name there; [!a] excludes nothing there.
      .filter((text) => !/\/\*\*$/.test(text) && !/(^|\/)\.*(\/|$)|\*{2,}[^/]|[^/]\*{2,}/.test(text));
    let found = 0;
    let runs = 0;
    fc.assert(
      fc.property(pattern, path, (text, file) => {
        runs++;
        const expected = picomatch.isMatch(file, text, {
          dot: true,
          basename: !text.includes('/'),
          nocase: false,
          fastpaths: false,
        });
        // Its regular expressions take a half of a character with two units for a question mark.
        if (/😀/.test(file) && /[?[]/.test(text)) return;
        assert.equal(finds(text, file), expected);
        if (expected) found++;
      }),
      { numRuns: 5_000 },
    );
    // There are fewer where a property is given little time.
    assert.ok(found > 300 || runs < 5_000, `only ${String(found)} matched`);
  });

  it('finds hidden names only where it has a dot, as picomatch does', () => {
    const piece = fc.constantFrom('a', '.', '*', '?', '[ab]', '{a,.a}', '{.*,a}');
    const segment = fc.oneof(
      { weight: 1, arbitrary: fc.constant('**') },
      { weight: 3, arbitrary: fc.array(piece, { minLength: 1, maxLength: 3 }).map((all) => all.join('')) },
    );
    const pattern = fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((segments) => segments.join('/'))
      .filter((text) => !/\/\*\*$/.test(text) && !/(^|\/)\.*(\/|$)|\*{2,}[^/]|[^/]\*{2,}/.test(text));
    const names = fc.array(fc.constantFrom('a', '.a', 'aa', '.aa', 'a.a', '.a.a'), { minLength: 1, maxLength: 4 });
    let hidden = 0;
    let runs = 0;
    fc.assert(
      fc.property(
        pattern,
        names.map((all) => all.join('/')),
        (text, file) => {
          runs++;
          // It takes a pattern without a slash for the last name only, whatever is above.
          fc.pre(text.includes('/') || !/(^|\/)\..*\//.test(file));
          const expected = picomatch.isMatch(file, text, {
            dot: false,
            fastpaths: false,
            basename: !text.includes('/'),
          });
          assert.equal(finds(text, file, false), expected, `${text} ${file}`);
          if (expected && /(^|\/)\./.test(file)) hidden++;
        },
      ),
      { numRuns: 5_000 },
    );
    assert.ok(hidden > 50 || runs < 5_000, `only ${String(hidden)} were hidden`);
  });

  it('finds itself, with a backslash before each of its characters', () => {
    const syntax = fc.constantFrom(...Array.from('.$^*+?(){}[]|!@,:-wds1\\ '));
    const text = fc.oneof(
      fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
      fc.string({ minLength: 1, maxLength: 6, unit: syntax }),
    );
    fc.assert(
      fc.property(text, (characters) => {
        const file = characters.replaceAll(/[/\0]/g, '_');
        fc.pre(file !== '.' && file !== '..');
        assert.equal(finds(Array.from(file, (character) => `\\${character}`).join(''), file), true);
      }),
      { examples: [['.$']] },
    );
  });

  it('excludes with ! exactly what it finds without', () => {
    const pattern = fc.array(fc.constantFrom('a', '*', '**/', '/', '[ab]', '{a,b}', '?'), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(pattern, path, (pieces, file) => {
        const found = findsOrFails(pieces.join(''), file);
        const others = findsOrFails(`!${pieces.join('')}`, file);
        assert.equal(others, typeof found === 'string' ? found : !found);
      }),
    );
  });

  it('is matched or refused quickly, whatever it is', () => {
    const piece = fc.constantFrom(
      '*',
      '**',
      '?',
      '/',
      '[',
      ']',
      '{',
      '}',
      ',',
      '!',
      '\\',
      'a',
      '**/',
      'a*',
      '[a-',
      '[[:',
      '{a,',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 60 }), (pieces) => {
        const began = performance.now();
        findsOrFails(pieces.join(''), `${'a/'.repeat(100)}${'a'.repeat(200)}`);
        assert.ok(performance.now() - began < forEverMs);
      }),
      { numRuns: 500 },
    );
  });

  const slowElsewhere: readonly (readonly [string, string])[] = [
    [`${'*a'.repeat(100)}*b`, 'a'.repeat(255)],
    [`${'**/a/'.repeat(100)}b`, `${'a/'.repeat(1000)}c`],
    [`${'{*a,*b}'.repeat(9)}c`, 'ab'.repeat(120)],
    ['{'.repeat(2000) + '}'.repeat(2000), 'a'],
    [`${'{a,'.repeat(900)}b${'}'.repeat(900)}`, 'c'],
  ];
  for (const [pattern, file] of slowElsewhere) {
    it(`takes no time to match ${pattern.slice(0, 12)}…`, () => {
      const began = performance.now();
      findsOrFails(pattern, file);
      const ms = performance.now() - began;
      assert.ok(ms < forEverMs, `${String(ms)} ms`);
    });
  }
});
