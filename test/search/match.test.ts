import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { matchText } from '../../workers/search/match.js';
import { Pattern } from '../../workers/search/pattern.js';
import { atOnce } from '../../workers/turn.js';
import { found, linesExpected, linesOf } from './oracle.js';

const page = { after: 0, limit: 200, context: 0, characters: Infinity };

describe('the matching lines of a text', () => {
  it('have their numbers and texts, without separators', () => {
    assert.deepEqual(found('a1\nb\r\na2\ra3', 'a', {}, page), {
      count: 3,
      matches: [
        { line: 1, text: 'a1' },
        { line: 3, text: 'a2' },
        { line: 4, text: 'a3' },
      ],
      left: 0,
    });
  });

  it('are counted once, however often they match', () => {
    assert.equal(found('aaa\na\n', 'a', {}, page).count, 2);
    assert.equal(found('foo foo\nfoo\n', 'foo', {}, page).count, 2);
  });

  it('include empty ones, but none behind a final separator', () => {
    assert.equal(found('', '^$', {}, page).count, 0);
    assert.equal(found('\n', '^$', {}, page).count, 1);
    assert.equal(found('\uFEFF', '^$', {}, page).count, 0);
    assert.deepEqual(
      found('a\r\n\r\n\n\rb', 'x*', {}, page).matches.map(({ line }) => line),
      [1, 2, 3, 4, 5],
    );
  });

  it('do not begin with the byte order mark', () => {
    assert.deepEqual(found('\uFEFFa\n\uFEFFa\n', '^a', {}, page).matches, [{ line: 1, text: 'a' }]);
    assert.deepEqual(found('\uFEFFa\n', 'a', {}, { ...page, context: 1 }).matches, [
      { line: 1, text: 'a', before: [], after: [] },
    ]);
  });

  it('are none in bytes that are not UTF-8', () => {
    const pattern = new Pattern({ pattern: 'a', literal: false, ignoreCase: false });
    assert.equal(atOnce(matchText(Buffer.from([0x61, 0xff]), pattern, page)), 'binary');
  });

  it('have context around them that ends with the text', () => {
    const text = '1\n2\r\n3x\n4\r5x\n6\n';
    assert.deepEqual(found(text, 'x', {}, { ...page, context: 2 }).matches, [
      { line: 3, text: '3x', before: ['1', '2'], after: ['4', '5x'] },
      { line: 5, text: '5x', before: ['3x', '4'], after: ['6'] },
    ]);
  });

  it('come in pages, while the whole text is counted', () => {
    const text = 'x\n'.repeat(10);
    const first = found(text, 'x', {}, { ...page, limit: 4 });
    assert.deepEqual([first.matches.map(({ line }) => line), first.count, first.left], [[1, 2, 3, 4], 10, 6]);
    const next = found(text, 'x', {}, { ...page, after: 4, limit: 4 });
    assert.deepEqual([next.matches.map(({ line }) => line), next.count, next.left], [[5, 6, 7, 8], 10, 2]);
    const last = found(text, 'x', {}, { ...page, after: 8, limit: 4 });
    assert.deepEqual([last.matches.map(({ line }) => line), last.count, last.left], [[9, 10], 10, 0]);
    assert.deepEqual(found(text, 'x', {}, { ...page, limit: 0 }).matches, []);
  });

  it('are only counted where there is no room for them, and pause one by one', () => {
    const wanted = { ...page, context: 1, characters: 5 };
    const { count, matches, left } = found('xa\nxb\nxc\nxd\n', 'x', {}, wanted);
    assert.deepEqual([count, matches.map(({ line }) => line), left], [4, [1, 2], 2]);
    const pattern = new Pattern({ pattern: 'x', literal: false, ignoreCase: false });
    assert.ok([...matchText(Buffer.from('x\n'.repeat(50)), pattern, page)].length >= 50);
  });

  it('are those of the obvious search, in every page and with every context', () => {
    const units = ['a', 'b', 'ab', 'é', '\n', '\r\n', '\r', ' ', 'x'.repeat(70)];
    const texts = fc.string({ unit: fc.constantFrom(...units), maxLength: 60 });
    const patterns = fc.constantFrom('a', 'ab', '^a', 'b$', '^$', '[ab]{2}', 'x+', 'é', '\\bab\\b', 'a|é', 'ab|é');
    const pages = fc.record({ after: fc.nat(5), limit: fc.nat(5), context: fc.nat(3) });
    fc.assert(
      fc.property(texts, patterns, pages, (text, pattern, wanted) => {
        const lines = linesOf(text);
        const all = linesExpected(text, new RegExp(pattern, 'u'));
        const shown = all.filter((line) => line > wanted.after).slice(0, wanted.limit);
        const matches = shown.map((line) => ({
          line,
          text: lines[line - 1],
          ...(wanted.context > 0 && {
            before: lines.slice(Math.max(0, line - 1 - wanted.context), line - 1),
            after: lines.slice(line, line + wanted.context),
          }),
        }));
        const actual = found(text, pattern, {}, { ...page, ...wanted });
        assert.deepEqual([actual.count, actual.matches], [all.length, matches]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a long line', () => {
  const shownOf = (text: string, pattern: string): string => found(text, pattern, {}, page).matches[0]?.text ?? '';

  it('is shown whole up to 500 code points', () => {
    assert.equal(shownOf('😀'.repeat(500), '😀'), '😀'.repeat(500));
    assert.equal(shownOf('é'.repeat(501), 'é'), `${'é'.repeat(500)}…`);
  });

  it('is cut to the 500 around its first match', () => {
    const text = `${'é'.repeat(1_000)}needle${'😀'.repeat(1_000)}needle`;
    for (const pattern of ['needle', 'n[e]+dle', '(?:n|m)eedle', 'ne+dle']) {
      assert.equal(shownOf(text, pattern), `…${'é'.repeat(247)}needle${'😀'.repeat(247)}…`);
    }
  });

  it('has its 500 also where the match is near an end', () => {
    assert.equal(shownOf(`ab${'x'.repeat(600)}`, 'b'), `ab${'x'.repeat(498)}…`);
    assert.equal(shownOf(`${'x'.repeat(600)}ab`, 'a'), `…${'x'.repeat(498)}ab`);
    assert.equal(shownOf(`${'x'.repeat(600)}ab`, '$'), `…${'x'.repeat(498)}ab`);
  });

  it('begins with its match if this is longer', () => {
    assert.equal(shownOf(`ab${'x'.repeat(600)}c`, 'b.*c'), `…b${'x'.repeat(499)}…`);
  });

  it('is cut as context, too', () => {
    const text = `${'c'.repeat(600)}\nhit\n${'d'.repeat(600)}hit\n`;
    const [first] = found(text, 'hit', {}, { ...page, context: 1 }).matches;
    assert.deepEqual([first?.before, first?.after], [[`${'c'.repeat(500)}…`], [`…${'d'.repeat(497)}hit`]]);
  });

  it('has 500 code points, its first match among them, wherever that is', () => {
    const run = fc.nat(700).map((length) => 'x'.repeat(length));
    fc.assert(
      fc.property(run, fc.integer({ min: 1, max: 600 }), run, (before, length, behind) => {
        const line = `${before}${'y'.repeat(length)}${behind}`;
        const shown = shownOf(line, 'y+');
        const text = shown.replaceAll('…', '');
        assert.equal(text.length, Math.min(500, line.length));
        assert.ok(line.includes(text));
        assert.ok(text.includes('y'.repeat(Math.min(500, length))));
        assert.equal(shown.startsWith('…'), !line.startsWith(text) || (line.length > 500 && shown[0] === '…'));
      }),
    );
  });
});
