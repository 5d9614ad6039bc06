/** Suggests what to send in place of a text that is not in the file: quoted so it can be sent as is (spec 11). */
import { namedLines } from '../find/line-numbers.js';
import { untouched } from '../rope/piece.js';
import { findAll, findEach } from '../find/search.js';
import { WholeWords } from '../find/whole-words.js';

/** A text that was not found, with the tool's parameter names. */
export interface Sought {
  readonly text: string;
  /** The intended replacement; absent if it is too large to be compared. */
  readonly replacement?: string | undefined;
  /** The tool's names for the two. */
  readonly parameters: { readonly text: string; readonly replacement: string };
  /** Whether all occurrences were meant; otherwise it must occur exactly once. */
  readonly isForAll: boolean;
  /** Whether case mattered; `always` where the tool has no option for it. */
  readonly caseMatters: 'always' | 'as asked' | 'not';
  /** Whether only whole words count; false if absent. */
  readonly wholeWord?: boolean;
}

/** How much of a string is compared, in bytes: more would take longer than an error may. */
export const mostCompared = 16_384;
/** How much of a text is quoted, in UTF-16 units: some twenty lines. */
export const mostQuoted = 1_000;
/** One more than an error names, so it can say that there are more. */
const mostFound = 21;

/**
 * Advice to send `found`, with more context where it occurs more than once.
 * @param found as it is in the text
 */
export function sendInstead(text: Buffer, found: string, sought: Sought): string {
  const lines = linesOfSeveral(text, found, sought);
  const quoted = found.length <= mostQuoted ? quote(found) : undefined;
  if (lines === undefined) {
    return `Send ${sought.parameters.text} exactly as it is in the file${quoted === undefined ? '' : `: ${quoted}`}.`;
  }
  return `${quoted ?? 'That text'} occurs ${lines}: send it with more of the surrounding text to select one.`;
}

/** The lines of `found`, in words, if it occurs too often; undefined if it would match when sent. */
export function linesOfSeveral(text: Buffer, found: string, sought: Sought): string | undefined {
  if (sought.isForAll) return undefined;
  const starts = placesOf(text, found, sought, mostFound);
  if (starts.length < 2) return undefined;
  const lines = namedLines([untouched(text)], starts).split(', ');
  const [first, ...others] = new Set(lines);
  return others.length === 0 ? `more than once at line ${first}` : `at lines ${[first, ...others].join(', ')}`;
}

/** Where `found` would match when sent, in bytes. @param most how many are wanted */
export function placesOf(text: Buffer, found: string, { wholeWord = false }: Sought, most: number): readonly number[] {
  const needle = Buffer.from(found);
  if (!wholeWord) return findAll(text, needle, true, most);
  const words = new WholeWords([untouched(text)]);
  const starts: number[] = [];
  findEach(text, needle, true, (start) => {
    if (words.has(start, start + needle.length)) starts.push(start);
    return starts.length < most;
  });
  return starts;
}

/**
 * Characters that are invisible or look like others, such as letters of another script within a Latin word. JSON itself
 * escapes control characters.
 */
const unseen =
  /[\u007f-\u00a0\u00ad\u0300-\u036f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0]|(?<=\p{Script=Latin})[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}](?=\p{Script=Latin})/gu;

/**
 * A text as a JSON string, with every character visible. A longer one is quoted in part, with `…` outside the quotes
 * for omissions: everything within the quotes is in the text.
 * @param most UTF-16 units to quote
 * @param around a position that must be included
 */
export function quote(text: string, most = mostQuoted, around = 0): string {
  // Show less before the position than after it.
  const from = text.length <= most ? 0 : Math.max(0, Math.min(around - Math.floor(most / 4), text.length - most));
  const start = isWithinPair(text, from) ? from + 1 : from;
  const to = Math.min(from + most, text.length);
  const end = isWithinPair(text, to) ? to - 1 : to;
  const quoted = JSON.stringify(text.slice(start, end)).replaceAll(unseen, escapeOf);
  return `${start > 0 ? '…' : ''}${quoted}${end < text.length ? '…' : ''}`;
}

/** A list in words. */
export function listed(names: readonly string[]): string {
  return names.length <= 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

/** The lines of a text, each with its separator. */
export function linesIn(text: string): string[] {
  return text.split(/(?<=\n)|(?<=\r)(?!\n)/);
}

/** A quoted text, with every non-ASCII character escaped as in JSON. */
export function inAscii(text: string): string {
  return text.replaceAll(/[^\u0000-\u007f]/g, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Whether a position lies between the two halves of a surrogate pair. */
function isWithinPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
