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
];
