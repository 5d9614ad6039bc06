import { parseJson } from '../../src/core/json/json-body.js';
import { fileText } from '../files.js';
import type { Suite } from './suite.js';

function suite(name: string, text: string): Suite {
  const body = Buffer.from(text);
  return {
    name: `parse ${name}`,
    variants: {
      parseJson: () => parseJson(body).ok,
      'JSON.parse(toString)': () => typeof JSON.parse(body.toString()),
    },
  };
}

export const suites: readonly Suite[] = [
  suite('a read', JSON.stringify({ name: 'file-0001.txt', start_line: 1, end_line: 10 })),
  suite('an append of 1 MB', JSON.stringify({ name: 'file-0001.txt', append: fileText(2 ** 20) })),
  suite('1 MB of nested arrays', '['.repeat(2 ** 19) + ']'.repeat(2 ** 19)),
];
