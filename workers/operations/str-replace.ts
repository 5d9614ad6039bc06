import { OperationError } from '../../src/errors.js';
import { countOccurrences, secondOccurrence } from '../text/occurrences.js';
import { changingText } from './text-at-path.js';

/** Replace a text that is in a file exactly once (contract 11); byte for byte, and nothing in it is a pattern. */
export const strReplace = changingText<'str_replace'>((text, { old_str, new_str }) => {
  const wanted = Buffer.from(old_str);
  const { first, second } = secondOccurrence(text, wanted);
  if (first === -1) {
    throw new OperationError('string_not_found', 'String not found in file');
  }
  if (second !== -1) {
    const count = countOccurrences(text, wanted);
    throw new OperationError('string_not_unique', `String appears ${String(count)} times, must be unique`);
  }
  const end = first + wanted.length;
  return { bytes: Buffer.concat([text.subarray(0, first), Buffer.from(new_str), text.subarray(end)]) };
});
