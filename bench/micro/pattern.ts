import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { matchText } from '../../workers/search/match.js';
import { Pattern } from '../../workers/search/pattern.js';
import { atOnce } from '../../workers/turn.js';
import type { Suite } from './suite.js';

/** 9 MB of source text with 200,000 lines: the compiler that this project uses. */
const source = readFileSync(createRequire(import.meta.url).resolve('typescript/lib/typescript.js'));
const page = { after: 0, limit: 200, context: 0, characters: Infinity };

function suite(name: string, text: string, ignoreCase = false): Suite {
  const pattern = new Pattern({ pattern: text, literal: false, ignoreCase });
  const expression = new RegExp(text, ignoreCase ? 'iu' : 'u');
  return {
    name,
    variants: {
      matchText: () => atOnce(matchText(source, pattern, page)),
      // Exponential for other expressions.
      'toString, split, test': () =>
        source
          .toString()
          .split(/\r\n|\n|\r/)
          .filter((line) => expression.test(line)).length,
    },
  };
}

export const suites: readonly Suite[] = [
  suite('find a rare literal', 'getUnicodeXyz'),
  suite('find a literal that differs in case', 'GETUNICODEXYZ', true),
  suite('find an expression with a literal', '\\w+Exception\\b'),
  suite('find an expression without a literal', '[A-Z]{3,}[0-9]+'),
];
