import type { LineEdit } from '../../src/core/operations.js';
import { applyLineEdits } from '../../workers/text/edit/line-edits.js';
import { wholeOf } from '../../workers/text/scattered-text.js';
import { fileText } from '../files.js';
import type { Suite } from './suite.js';

const megabyte = Buffer.from(fileText(2 ** 20));

function replaces(count: number): readonly LineEdit[] {
  return Array.from({ length: count }, (_, index) => {
    return { line: 1 + index * 17, operation: 'replace', content: `Line ${String(index)}` };
  });
}

/** Loses separators other than `\n`, and has no rule for the end of the last line. */
function naive(edits: readonly LineEdit[], append: string): Buffer {
  const lines = megabyte.toString().split('\n');
  for (const { line, content } of edits) lines[line - 1] = content ?? '';
  return Buffer.from(lines.join('\n') + append);
}

function suite(name: string, edits: readonly LineEdit[], append: string): Suite {
  return {
    name: `${name} in 1 MB`,
    variants: {
      applyLineEdits: () => wholeOf(applyLineEdits(megabyte, edits, append).text),
      'split, assign, join': () => naive(edits, append),
    },
  };
}

export const suites: readonly Suite[] = [
  suite('replace a line', replaces(1), ''),
  suite('replace 1000 lines', replaces(1000), ''),
  suite('append a line', [], 'One more line\n'),
];
