/** Explains that the text is there, except for white space, case, quotes and the like. */
import { fold } from '../find/case-folding.js';
import { lineAt } from '../find/line-numbers.js';
import { findAll } from '../find/search.js';
import {
  inAscii,
  linesIn,
  linesOfSeveral,
  listed,
  mostCompared,
  mostQuoted,
  quote,
  sendInstead,
  type Sought,
} from './advice.js';
import { findLookalikes, type TextRange } from './find-lookalikes.js';
import { caseName, joinedNames, nameDifferences, normalizationName, separatorName } from './variants.js';

interface Lookalike {
  readonly line: number;
  readonly found: string;
  /** Of the differences. */
  readonly names: readonly string[];
}

/** @returns sentences; undefined if no text looks like the string */
export function explainLookalike(text: Buffer, sought: Sought): string | undefined {
  const { alike, isComplete } = lookalikes(text, sought);
  const [nearest, ...further] = alike.toSorted((a, b) => a.names.length - b.names.length);
  if (nearest === undefined) return undefined;
  const { line, found, names } = nearest;
  const same = further.filter((other) => listed(other.names) === listed(names));
  const others = same.length === 0 ? '' : `, and from ${same.length === 1 ? 'another' : 'others'},`;
  const where = `It differs from the text at line ${line}${others} only in ${listed(names)}`;
  const separators = names.includes(separatorName) ? new Set(found.match(/\r\n?|\n/g)) : new Set<string>();
  const [separator = ''] = separators.size === 1 ? separators : [];
  const written = JSON.stringify(separator).slice(1, -1);
  if (names.length === 1 && separator !== '') return `${where}. ${sendSeparator(written, text, found, sought)}`;
  const first = found.length > mostQuoted ? `, first at ${firstDifference(nearest, sought.text)}` : '';
  const advice = sendInstead(text, found, sought);
  const shown = names.includes(normalizationName) ? inAscii(advice) : advice;
  // The new text brings its own separators, which must be those of the file, too.
  const keep =
    separator === '' ? '' : ` Send ${written} for every line ending in ${sought.parameters.replacement} too.`;
  const isCase = names.length === 1 && names[0] === caseName && sought.caseMatters === 'as asked';
  const orByCase = isCase && isMatchedByCase(alike, isComplete, sought) ? ' Or set case_insensitive to true.' : '';
  return `${where}${first}. ${shown}${keep}${orByCase}`;
}

/** Where the text looks like the string, and whether those are all such places. */
function lookalikes(text: Buffer, { text: wanted, caseMatters }: Sought): { alike: Lookalike[]; isComplete: boolean } {
  const alike: Lookalike[] = [];
  const { places, isComplete } = findLookalikes(text, wanted);
  let compared = 0;
  for (const { start, end } of places) {
    // Naming the differences of 16 KB takes milliseconds, and one place is enough.
    if (alike.length > 0 && compared > mostCompared) return { alike, isComplete: false };
    compared += end - start;
    const found = text.toString('utf8', start, end);
    const names = nameDifferences(wanted, found)?.filter((name) => caseMatters !== 'not' || name !== caseName);
    if (names === undefined || names.length === 0) continue;
    if (joinedNames.some((name) => names.includes(name)) && isWithinWord(text, { start, end })) continue;
    alike.push({ line: lineAt(text, start), found, names });
  }
  return { alike, isComplete };
}

/** `ab` within `tab` is not what `a b` was meant to match. */
function isWithinWord(text: Buffer, { start, end }: TextRange): boolean {
  return [start, end].some((edge) => /^\w\w$/.test(text.toString('latin1', edge - 1, edge + 1)));
}

/** @param separator as it is written in JSON */
function sendSeparator(separator: string, text: Buffer, found: string, sought: Sought): string {
  const { parameters } = sought;
  const lines = linesOfSeveral(text, found, sought);
  const several =
    lines === undefined ? '' : ` The file has it ${lines}: send more of the text around the one that is meant.`;
  return `Send ${separator} for every line ending in ${parameters.text}, and in ${parameters.replacement} to keep them.${several}`;
}

/** The first line of a long text that differs, and what the file has there. */
function firstDifference({ line, found }: Lookalike, wanted: string): string {
  const [there, lines] = [linesIn(found), linesIn(wanted)];
  const index = Math.max(
    0,
    there.findIndex((each, at) => each !== lines[at]),
  );
  return `line ${line + index}: ${quote(there[index] ?? '')}`;
}

/**
 * Whether the string would match, and not too often, if case did not matter. A lookalike may have more blanks at its edges
 * and still contain the string. If there are more places than are compared, it is unknown.
 */
function isMatchedByCase(
  alike: readonly Lookalike[],
  isComplete: boolean,
  { text: wanted, isForAll }: Sought,
): boolean {
  const needle = fold(Buffer.from(wanted)).bytes;
  const matching = alike.flatMap(({ found }) => findAll(fold(Buffer.from(found)).bytes, needle, true));
  return isForAll ? matching.length > 0 : isComplete && matching.length === 1;
}
