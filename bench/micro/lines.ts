import { countLines, readLines } from '../../workers/text/lines.js';
import { fileText } from '../files.js';
import type { Suite } from './suite.js';

const megabyte = Buffer.from(fileText(2 ** 20));
const separator = /\r\n|\n|\r/;

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
      readLines: () => readLines(megabyte, 8000, 8009).content,
      'toString, split, slice, join': () => megabyte.toString().split(separator).slice(7999, 8009).join('\n'),
    },
  },
];
