import type { TextEdit } from '../../src/core/operations.js';
import { applyReplacements } from '../../workers/text/edit/replacements.js';
import { wholeOf } from '../../workers/text/scattered-text.js';
import type { Suite } from './suite.js';

/** Each of them occurs once. */
const lines = Array.from(
  { length: 22_000 },
  (_, index) => `    const value${String(index)} = compute(${String((index * 7919) % 10007)}, "a name");`,
);
const megabyte = Buffer.from(lines.join('\n'));

/** Replaces whole lines. */
function replaces(count: number, more: Partial<TextEdit> = {}): readonly TextEdit[] {
  return Array.from({ length: count }, (_, index) => {
    return { old_string: lines[index * 11] ?? '', new_string: `Replaced ${String(index)}`, ...more };
  });
}

/** Does not check for a second match, and would expand `$&`. */
function naive(edits: readonly TextEdit[]): Buffer {
  let text = megabyte.toString();
  for (const { old_string = '', new_string, replace_all } of edits) {
    if (!text.includes(old_string)) throw new Error(`not found: ${old_string}`);
    text = replace_all === true ? text.replaceAll(old_string, new_string) : text.replace(old_string, new_string);
  }
  return Buffer.from(text);
}

/** A text with the strings `name0000;` to `name0999;` at equal distances, and lines of code between them. */
function marked(size: number): Buffer {
  const filler = '    const value = compute(7919, "a name");\n'.repeat(Math.ceil(size / 41_000));
  const part = (index: number): string => `name${String(index).padStart(4, '0')};\n`;
  const rest = filler.slice(0, Math.max(0, size / 1_000 - part(0).length));
  return Buffer.from(Array.from({ length: 1_000 }, (_, index) => `${part(index)}${rest}`).join(''));
}

/** What would replace the rope and the sieve: one copy an edit, and a list of the ranges that changed. */
function copyEach(text: Buffer, edits: readonly TextEdit[]): Buffer {
  const changed: { start: number; end: number; length: number }[] = [];
  let from = text;
  let [next, spare] = [Buffer.allocUnsafe(text.length + 65_536), Buffer.allocUnsafe(text.length + 65_536)];
  for (const { old_string = '', new_string } of edits) {
    const [old, replacement] = [Buffer.from(old_string), Buffer.from(new_string)];
    const start = from.indexOf(old);
    if (start < 0 || from.indexOf(old, start + 1) >= 0) throw new Error(`not there once: ${old_string}`);
    const end = start + old.length;
    from.copy(next, 0, 0, start);
    replacement.copy(next, start);
    from.copy(next, start + replacement.length, end);
    changed.push({ start, end, length: replacement.length });
    from = next.subarray(0, from.length + replacement.length - old.length);
    [next, spare] = [spare, next];
  }
  return from;
}

function beside(size: string, text: Buffer, count: number): Suite {
  const edits = Array.from({ length: count }, (_, index) => {
    const nth = Math.floor((index * 1_000) / count);
    return { old_string: `name${String(nth).padStart(4, '0')};`, new_string: `another${String(index)};` };
  });
  return {
    name: `${String(count)} strings, one copy an edit, ${size}`,
    variants: {
      applyReplacements: () => wholeOf(applyReplacements(text, edits).text),
      'indexOf, copy': () => copyEach(text, edits),
    },
  };
}

const sizes: readonly (readonly [string, number])[] = [
  ['10 kB', 10_000],
  ['1 MB', 1e6],
  ['10 MB', 1e7],
];

function suite(name: string, edits: readonly TextEdit[]): Suite {
  return {
    name: `${name} in 1 MB`,
    variants: {
      applyReplacements: () => wholeOf(applyReplacements(megabyte, edits).text),
      'includes, replace': () => naive(edits),
    },
  };
}

export const suites: readonly Suite[] = [
  suite('replace 10 strings', replaces(10)),
  suite('replace 1000 strings', replaces(1_000)),
  suite('replace a string everywhere', [{ old_string: 'e', new_string: 'E', replace_all: true }]),
  ...sizes.flatMap(([name, size]) => {
    const text = marked(size);
    return [1, 100, 1_000].map((count) => beside(name, text, count));
  }),
];
