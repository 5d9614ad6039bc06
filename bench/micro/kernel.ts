import { createHash } from 'node:crypto';
import { sourceOf } from '../../workers/text/chunks.js';
import { select } from '../../workers/text/lines/selection.js';
import { hashOf } from '../../workers/text/text-file.js';
import { fileText } from '../files.js';
import type { Suite } from './suite.js';

/** From the bytes of a file to those of the answer, including UTF-8 check, line count and hash. */
function answer(text: Buffer): unknown {
  const wanted = { startLine: undefined, endLine: undefined, check: () => undefined, tail: () => '"}' };
  return select(sourceOf(text), text.length, wanted).json;
}

function suite(name: string, text: Buffer): Suite {
  return {
    name: `answer of ${name}`,
    variants: {
      select: () => answer(text),
      // Neither checks nor counts nor hashes.
      'JSON.stringify(toString)': () => Buffer.from(JSON.stringify({ content: text.toString() })),
    },
  };
}

const megabyte = Buffer.from(fileText(2 ** 20));

export const suites: readonly Suite[] = [
  suite('1 KB', Buffer.from(fileText(2 ** 10))),
  suite('1 MB', megabyte),
  suite(
    '1 MB beyond ASCII',
    Buffer.from('Zeile mit Umlauten: äöü ß €, 60 Bytes lang oder etwas mehr\n'.repeat(16_000)),
  ),
  suite('1 MB of control characters', Buffer.alloc(2 ** 20, 1)),
  {
    name: 'hash of 1 MB',
    variants: {
      hashOf: () => hashOf(megabyte),
      'SHA-256': () => createHash('sha256').update(megabyte).digest('hex'),
    },
  },
];
