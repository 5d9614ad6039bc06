import { Ajv } from 'ajv';
import { operations } from '../../src/core/operations.js';
import { validate } from '../../src/call/validation/index.js';
import type { Suite } from './suite.js';

function suite(name: string, operationName: string, params: unknown): Suite {
  const operation = operations.get(operationName);
  if (operation === undefined) throw new Error(`no operation is called ${operationName}`);
  const ajv = new Ajv({ allErrors: true, strict: false }).compile(operation.params);
  return {
    name: `validate ${name}`,
    variants: {
      validate: () => validate(operation, params),
      'ajv, all errors': () => ajv(params),
    },
  };
}

const edits = Array.from({ length: 1000 }, (_, index) => {
  return { line: index + 1, operation: 'replace', content: 'A line of prose, as long as lines usually are' };
});

export const suites: readonly Suite[] = [
  suite('a read', 'read_file', { name: 'file-0001.txt', start_line: 1, end_line: 10 }),
  suite('an edit of 1000 lines', 'edit_file', { name: 'file-0001.txt', edits }),
  suite('20,000 wrong edits', 'edit_file', { name: 'file-0001.txt', edits: Array.from({ length: 20_000 }, () => 1) }),
];
