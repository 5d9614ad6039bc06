import { sourceOf } from '../../workers/text/chunks.js';
import { countLines } from '../../workers/text/lines/lines.js';
import { select } from '../../workers/text/lines/selection.js';
import { fileText } from '../files.js';
import type { Suite } from './suite.js';

const megabyte = Buffer.from(fileText(2 ** 20));
const separator = /\r\n|\n|\r/;
const window = { startLine: 8000, endLine: 8009, check: () => undefined, tail: () => '"}' };
const { facts } = select(sourceOf(megabyte), megabyte.length, window);

export const suites: readonly Suite[] = [
  {
    name: 'count the lines of 1 MB',
    variants: {
      countLines: () => countLines(megabyte),
      'toString, split': () => megabyte.toString().split(separator).length,
      'loop over the bytes': () => {
        let lines = 0;
        for (let i = 0; i < megabyte.length; i++) if (megabyte[i] === 10) lines++;
        return lines;
      },
    },
  },
  {
    name: 'read 10 of the lines of 1 MB',
    variants: {
      'select, its facts known': () => select(sourceOf(megabyte), megabyte.length, window, facts).content,
      'select, first touch': () => select(sourceOf(megabyte), megabyte.length, window).content,
      'toString, split, slice, join': () => megabyte.toString().split(separator).slice(7999, 8009).join('\n'),
    },
  },
];
