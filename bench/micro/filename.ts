import { checkFilename } from '../../src/core/names/filename.js';
import type { Suite } from './suite.js';

const portable = /^[a-zA-Z0-9._-]+$/;

function suite(name: string): Suite {
  return {
    name: `check the name ${name}`,
    variants: {
      checkFilename: () => checkFilename(name, 'portable'),
      // Accepts `..`, `CON` and the reserved name.
      'regular expression': () => portable.test(name) && name.length <= 255,
    },
  };
}

export const suites: readonly Suite[] = [suite('file-0001.txt'), suite('.gitignore')];
