import { jsonString } from '../../workers/text/json-escape.js';
import { fileText } from '../files.js';
import type { Suite } from './suite.js';

function suite(name: string, text: Buffer): Suite {
  return {
    name: `JSON string of ${name}`,
    variants: {
      jsonString: () => jsonString(text),
      'JSON.stringify(toString)': () => Buffer.from(JSON.stringify(text.toString())),
    },
  };
}

export const suites: readonly Suite[] = [
  suite('1 KB', Buffer.from(fileText(2 ** 10))),
  suite('1 MB', Buffer.from(fileText(2 ** 20))),
  suite(
    '1 MB beyond ASCII',
    Buffer.from('Zeile mit Umlauten: äöü ß €, 60 Bytes lang oder etwas mehr\n'.repeat(16_000)),
  ),
];
