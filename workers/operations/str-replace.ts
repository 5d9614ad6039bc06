import { OperationError } from '../../src/core/errors.js';
import { bytesOf, isLargeText } from '../../src/core/json/large-text.js';
import type { Params } from '../../src/core/operations.js';
import { withCrlf } from '../text/lines/new-text.js';
import { firstSeparator, mayMix } from '../text/edit/mixed-endings.js';
import { explainNotInText } from '../text/explain/miss.js';
import { namedLines } from '../text/find/line-numbers.js';
import { join, unlessSame } from '../text/scattered-text.js';
import { placeOfText } from '../text/place.js';
import { untouched } from '../text/rope/piece.js';
import { countAll, findAll } from '../text/find/search.js';
import { changingText, tookCrlf } from '../commit/text-at-path.js';

/** One more than an error names, so that it can say there are more. */
const mostFound = 21;

/**
 * Replace a text that occurs exactly once in a file (spec 11), byte for byte: it is not a pattern. In a model's call,
 * `\n` may stand for the file's `\r\n`.
 */
export const strReplace = changingText<'str_replace'>((text, params, { model }) => {
  const given = { wanted: Buffer.from(params.old_str), added: bytesOf(params.new_str), remarks: [] };
  const starts = findAll(text, given.wanted, true, mostFound);
  if (starts.length > 1) throw notUnique(text, given.wanted, starts);
  const meant = starts[0] === undefined ? model && withFileBreaks(text, given) : { ...given, start: starts[0] };
  if (meant === undefined) throw notFound(text, params);
  const { wanted, added, start, remarks } = meant;
  const before = text.subarray(0, start);
  const after = text.subarray(start + wanted.length);
  const separator = firstSeparator(text);
  return {
    text: unlessSame(text, join([before, added, after])),
    mayMix: separator !== undefined && mayMix(separator, wanted, added),
    report: () => ({ forModel: { place: placeOfText([before], added, after), remarks } }),
  };
});

/** A text and its replacement. */
interface Exchange {
  readonly wanted: Buffer;
  readonly added: Buffer;
  readonly remarks: readonly string[];
}

/** The exchange with the file's line breaks. @returns undefined unless its text occurs exactly once */
function withFileBreaks(text: Buffer, given: Exchange): (Exchange & { readonly start: number }) | undefined {
  const wanted = withCrlf(given.wanted);
  const [start, another] = wanted === given.wanted ? [] : findAll(text, wanted, true, 2);
  if (start === undefined || another !== undefined) return undefined;
  return { wanted, added: withCrlf(given.added), start, remarks: [tookCrlf] };
}

function notFound(text: Buffer, { old_str, new_str }: Params['str_replace']): OperationError {
  const explained = explainNotInText(text, {
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
    details: `Nothing was written. It is at lines ${lines}: send more of the surrounding text, so that old_str is in the file only once.`,
  });
}
