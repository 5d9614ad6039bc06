import { OperationError } from '../../src/errors.js';
import { bytesOf, isLargeText } from '../../src/json/large-text.js';
import type { Params } from '../../src/operations.js';
import { explainAbsence } from '../text/miss/miss.js';
import { namedLines } from '../text/search/line-numbers.js';
import { join } from '../text/joined-text.js';
import { unlessSame } from '../text/scattered-text.js';
import { untouched } from '../text/search/piece.js';
import { countAll, findAll } from '../text/search/search.js';
import { changingText } from './text-at-path.js';

/** An error names fewer places and says that there are more. */
const mostFound = 21;

/** Replace a text that occurs in a file exactly once (contract 11), byte for byte: nothing in it is a pattern. */
export const strReplace = changingText<'str_replace'>((text, params) => {
  const wanted = Buffer.from(params.old_str);
  const starts = findAll(text, wanted, true, mostFound);
  const [first, second] = starts;
  if (first === undefined) throw notFound(text, params);
  if (second !== undefined) throw notUnique(text, wanted, starts);
  const end = first + wanted.length;
  const parts = [text.subarray(0, first), bytesOf(params.new_str), text.subarray(end)];
  return { text: unlessSame(text, join(parts)) };
});

function notFound(text: Buffer, { old_str, new_str }: Params['str_replace']): OperationError {
  const explained = explainAbsence(text, {
    text: old_str,
    replacement: isLargeText(new_str) ? undefined : new_str,
    parameters: { text: 'old_str', replacement: 'new_str' },
    isForAll: false,
    caseMatters: 'always',
  });
  return new OperationError('string_not_found', 'String not found in file', {
    details: `Nothing was written. ${explained}`,
  });
}

function notUnique(text: Buffer, wanted: Buffer, starts: readonly number[]): OperationError {
  const count = countAll(text, wanted);
  const lines = namedLines([untouched(text)], starts);
  return new OperationError('string_not_unique', `String appears ${String(count)} times, must be unique`, {
    details: `Nothing was written. It is at lines ${lines}: send more of the text around the one that is meant, so that old_str is in the file only once.`,
  });
}
