/** Presents file text to a model: a heading, as much text as fits, and how to continue. */
import type { JsonPart } from '../../../call/parts.js';
import { cutText } from './cut-text.js';
import { closeString, openString, type Presentation } from './tool.js';

/** The lines read by a call. */
interface ReadLines {
  /** A JSON string, in quotes. */
  readonly json: Uint8Array;
  /** Numbers of the first and last line, from 1. */
  readonly first: number;
  readonly last: number;
  /** Whether the call named the last line. */
  readonly isEndGiven: boolean;
  /** Whether each line keeps its own separator; otherwise they are joined by `\n`. */
  readonly exact: boolean;
  /** How many copies of them a message holds. */
  readonly copies: number;
}

/** The text around the lines. */
interface Surroundings {
  /** The heading if all lines are sent. */
  readonly whole: string;
  /** The heading if the lines end with this one. */
  readonly upTo: (last: number) => string;
  /** Follows the lines, or the note that they are truncated. */
  readonly below?: (isCut: boolean) => string;
}

export interface SentText {
  /** For the model: a JSON string. */
  readonly text: readonly JsonPart[];
  /** The lines only: a JSON string. */
  readonly content: Uint8Array;
  /** The last line sent, from 1. */
  readonly last: number;
  readonly isCut: boolean;
  /** Whether only part of one line is sent. */
  readonly isPart: boolean;
}

/** Most bytes of a message besides the lines: names of 255 characters, a note, hashes, sizes. */
const besideLines = 4096;

/** @param presentation has the limits */
export function fileText(
  { json, first, last, isEndGiven, exact, copies }: ReadLines,
  { whole, upTo, below = () => '' }: Surroundings,
  { lineBase, maxChars, maxBytes }: Pick<Presentation, 'lineBase' | 'maxChars' | 'maxBytes'>,
): SentText {
  const shown = (line: number): number => line - 1 + lineBase;
  const end = isEndGiven ? ` and end_line ${shown(last)}` : '';
  const goOn = (to: number): string => (to < last ? ` Go on with start_line ${shown(to + 1)}${end}.` : '');
  const noteOnLines = (to: number): string =>
    `${exact ? '' : '\n'}\n[Only lines ${shown(first)}-${shown(to)} are above: the rest is too long for one answer.${goOn(to)}]`;
  const noteOnPart = (characters: number): string =>
    `\n\n[Only the first ${characters} characters of line ${shown(first)} are above: the line is too long for one answer, and its rest cannot be read. Do not replace this line: the rest of it would be lost.${goOn(first)}]`;

  const bytes = Math.floor((maxBytes - besideLines) / copies);
  const cutBeside = (...words: readonly string[]): ReturnType<typeof cutText> => {
    const characters = maxChars === 0 ? Infinity : maxChars - lengthOf(words.join(''));
    return cutText(json, { characters, bytes }, exact);
  };
  const fits = cutBeside(whole, below(false)) === null;
  // These numbers have at least as many digits as the final ones in the heading and the note.
  let cut = fits ? null : cutBeside(upTo(last), noteOnLines(last - 1), below(true));
  if (cut?.lines === 0) cut = cutBeside(upTo(last), '…', noteOnPart(json.length), below(true));
  if (cut === null) {
    const text = [openString(whole), json.subarray(1, -1), closeString(below(false))];
    return { text, content: json, last, isCut: false, isPart: false };
  }
  const isPart = cut.lines === 0;
  const shownLast = isPart ? first : first + cut.lines - 1;
  // Copied: a view would keep the whole answer alive until the client has read this part.
  const content = Buffer.concat([cut.bytes, Buffer.from(isPart ? '…"' : '"')]);
  const note = isPart ? noteOnPart(cut.characters) : noteOnLines(shownLast);
  return {
    text: [openString(upTo(shownLast)), content.subarray(1, -1), closeString(note + below(true))],
    content,
    last: shownLast,
    isCut: true,
    isPart,
  };
}

/** In characters (code points). */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
