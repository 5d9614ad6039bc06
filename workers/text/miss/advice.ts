/** What to send in place of a string that differs from a text only in what is hard to see. */
import { fold, mostFolded } from '../search/case-folding.js';
import { findAll } from '../search/search.js';
import { caseName } from './differences.js';
import { linesOf, mostShown } from './line-differences.js';
import { mostPlaces, type Span } from './lookalikes.js';
import { shown } from './shown.js';
import type { Sought } from './sought.js';

/** How many separators are shown if a text mixes them. */
const mostSeparatorsShown = 20;
/** How much of a text is given ready to be sent, in UTF-16 units. */
const mostGiven = 500;

/** The part of a text that was probably meant. */
interface Meant {
  readonly text: Buffer;
  /** Where the text looks like the string, this part among them. */
  readonly places: readonly Span[];
  readonly found: string;
  /** Of the differences. */
  readonly names: readonly string[];
}

/** @returns sentences that lead to a match if they are followed, or say that there would be several */
export function adviceFor(meant: Meant, sought: Sought): string {
  const { parameters, caseMatters } = sought;
  const { text, found, names } = meant;
  const again = severalTimes(text, found, sought);
  if (names.length === 1 && names[0] === 'line endings') return `${sameLineEndings(found, sought)}${again}`;
  const asIs = asInFile(parameters.text).slice(0, -1);
  const advice = isGiven(found) ? `${asIs}: ${shown(found, mostGiven)}` : asIs;
  const isCase = names.length === 1 && names[0] === caseName && caseMatters === 'as asked';
  if (isCase && again === '' && isMatchedByCase(meant, sought)) {
    return `${advice}, or set case_insensitive to true.`;
  }
  return `${advice}.${again}`;
}

export const asInFile = (parameter: string): string => `Send ${parameter} exactly as it is in the file.`;

/** Whether the advice holds the whole text, since what differs does not show all of it. */
export function isGiven(found: string): boolean {
  return found.length <= mostGiven && (found.length > mostShown || linesOf(found).length > 1);
}

/** A sentence behind the advice to send some text: empty if that would be the only match, or each shall be one. */
export function severalTimes(text: Buffer, advised: string, { isForAll }: Sought): string {
  return isForAll || !isRepeated(text, advised)
    ? ''
    : ' This text is there more than once: send more of the text around the one that is meant.';
}

export function isRepeated(text: Buffer, advised: string): boolean {
  return findAll(text, Buffer.from(advised), true, 2).length > 1;
}

function sameLineEndings(found: string, { parameters: { text, replacement } }: Sought): string {
  const separators = found.match(/\r\n?|\n/g) ?? [];
  const written = separators.slice(0, mostSeparatorsShown).map((separator) => JSON.stringify(separator).slice(1, -1));
  const [first = ''] = written;
  if (separators.every((separator) => separator === separators[0])) {
    return `Send ${first} for every line ending in ${text}, and in ${replacement} to keep them.`;
  }
  const more = separators.length > mostSeparatorsShown ? ', …' : '';
  return `The line endings there are mixed. Send in ${text}, in this order: ${written.join(', ')}${more}.`;
}

/**
 * Whether the string would match, and not too often, if case did not matter. Looks only where the text looks like the
 * string: to fold all of it takes up to 9 ms for 1 MB. Of so many places that there may be more, it is not known.
 */
function isMatchedByCase({ text, places }: Meant, { text: wanted, isForAll }: Sought): boolean {
  const needle = fold(Buffer.from(wanted)).bytes;
  const margin = needle.length * mostFolded;
  const starts = new Set<number>();
  for (const place of places) {
    const from = Math.max(0, place.start - margin);
    const { bytes, sourceOffset } = fold(text.subarray(from, place.end + margin));
    for (const start of findAll(bytes, needle, true, 2)) starts.add(from + sourceOffset(start));
  }
  return isForAll ? starts.size > 0 : starts.size === 1 && places.length < mostPlaces;
}
