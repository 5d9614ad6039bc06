import { OperationError } from '../../src/errors.js';
import { bytesOf } from '../../src/json/large-text.js';
import { countAll, findAll } from '../text/search/search.js';
import { changingText } from './text-at-path.js';

/** Replace a text that is in a file exactly once (contract 11); byte for byte, and nothing in it is a pattern. */
export const strReplace = changingText<'str_replace'>((text, { old_str, new_str }) => {
  const wanted = Buffer.from(old_str);
  const [first, second] = findAll(text, wanted, true, 2);
  if (first === undefined) throw new OperationError('string_not_found', 'String not found in file');
  if (second !== undefined) {
    const count = countAll(text, wanted);
    throw new OperationError('string_not_unique', `String appears ${String(count)} times, must be unique`);
  }
  const end = first + wanted.length;
  return { bytes: Buffer.concat([text.subarray(0, first), bytesOf(new_str), text.subarray(end)]) };
});
