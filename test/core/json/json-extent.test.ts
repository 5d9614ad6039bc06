import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { measure, type Span } from '../../../src/core/json/json-extent.js';

interface Expected {
  readonly values: number;
  readonly largeTexts: readonly Span[];
}

const token = /"(?:[^"\\]|\\[^])*"?|[{}[\],:]|[^"{}[\],:]/g;
const jsonString = /^"(?:[^"\\\0-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"$/;

/**
 * The expected result of `measure`, token by token; null if something is not closed. @param text one character per byte
 */
function expected(text: string): Expected | null {
  const open = { arrays: 0, objects: 0 };
  const largeTexts: Span[] = [];
  let [values, literal] = [1, 0];
  let [key, before] = ['', ''];
  for (const { 0: part, index: start } of text.matchAll(token)) {
    const closesLiteral = part === ',' || part === ']' || part === '}';
    if (closesLiteral) {
      values += literal >> 5;
      literal = 0;
    }
    if (part === ',' || part === '[' || part === '{') values++;
    if (part === '[') open.arrays++;
    if (part === '{') open.objects++;
    if (part === ']' && --open.arrays < 0) return null;
    if (part === '}' && --open.objects < 0) return null;
    if (part === ':') values += Math.max(key.length - 1, 0) >> 5;
    if (part.startsWith('"')) {
      if (part.length < 2 || !/^"(?:[^"\\]|\\[^])*"$/.test(part)) return null;
      const isLarge = part.length > 262_145 && jsonString.test(part) && open.arrays <= 2 && open.objects <= 4;
      if (isLarge && before === ':' && key === '"a"') largeTexts.push({ start, end: start + part.length });
      key = part;
    } else if (part.length === 1 && !/[{}[\],:]/.test(part) && part > ' ') {
      literal++;
    }
    // Any other token leaves a value with its key.
    if (/^["{}[\],:]/.test(part)) before = part === ']' || part === '}' ? before : (part[0] ?? '');
  }
  return open.arrays === 0 && open.objects === 0 ? { values, largeTexts } : null;
}

const pieces = [
  '"',
  '"',
  '"a":',
  '"a": "',
  '\\',
  '\\n',
  '\\"',
  '\\u00e9',
  '\\u12',
  '\\x',
  'u',
  '0',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
];
const fillers = [
  'x'.repeat(40),
  '7'.repeat(70),
  ' '.repeat(20),
  '\n',
  'é',
  '\x01',
  '\\\\'.repeat(20),
  'L'.repeat(262_150),
];

describe('the extent of a large body', () => {
  it('is that of its characters, wherever a chunk ends', () => {
    const part = fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...pieces) }, fc.constantFrom(...fillers));
    const text = fc.oneof(
      fc.array(part, { maxLength: 40 }).map((parts) => parts.join('')),
      // Most random token sequences are not closed.
      fc.json({ maxDepth: 4 }),
      fc
        .array(part, { maxLength: 12 })
        .map((parts) => JSON.stringify({ a: parts.join(''), b: [{ a: parts.join('') }] })),
      fc.array(part, { maxLength: 12 }).map((parts) => `{"a":[{"a":"${parts.join('').replaceAll('"', '')} "}]}`),
    );
    fc.assert(
      fc.property(text, fc.nat(80), fc.boolean(), (body, back, inString) => {
        // The first chunk ends within the first characters.
        const padding = inString ? `["${'p'.repeat(65_532 - back)}",` : ' '.repeat(65_536 - back);
        const bytes = Buffer.from(padding + body + (inString ? ']' : ''));
        const found = measure(bytes, new Set(['a']));
        const { values, largeTexts } = found ?? {};
        assert.deepEqual(found === null ? null : { values, largeTexts }, expected(bytes.toString('latin1')));
      }),
      { numRuns: 1_000 },
    );
  });

  it('has at most as many cuts as its outline allows', () => {
    // Not JSON: without commas, no level counts as crowded.
    const found = measure(Buffer.from(`{"a":[${'{}'.repeat(100_000)}]}`), new Set());
    assert.equal(found?.crowd?.cuts?.length, 2);
  });
});
