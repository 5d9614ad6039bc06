import { assertUtf8 } from '../../workers/text/text-file.js';
import { fileText } from '../files.js';
import type { Suite } from './suite.js';

const megabyte = Buffer.from(fileText(2 ** 20));
const decoder = new TextDecoder('utf-8', { fatal: true });

export const suites: readonly Suite[] = [
  {
    name: 'UTF-8 check of 1 MB',
    variants: {
      assertUtf8: () => {
        assertUtf8(megabyte);
      },
      'TextDecoder, fatal': () => decoder.decode(megabyte),
      'there and back': () => Buffer.from(megabyte.toString()).equals(megabyte),
    },
  },
];
