/**
 * Explains why a string is not in a text, so the next call can be right: where the intended text probably is, its exact
 * wording, and the differences. It only explains: nothing but the exact string is ever replaced. It takes a few passes
 * over the text, whatever the content: 10 to 40 ms for 1 MB.
 */
import type { TextEdit } from '../../../src/core/operations.js';
import { fold } from '../find/case-folding.js';
import { lineAt, namedLines } from '../find/line-numbers.js';
import { mixed, untouched, type Piece } from '../rope/piece.js';
import type { Rope } from '../rope/rope.js';
import { findAll, findEach } from '../find/search.js';
import type { Needle } from '../find/sieve.js';
import { WholeWords } from '../find/whole-words.js';
import { mostCompared, placesOf, quote, sendInstead, type Sought } from './advice.js';
import { explainLookalike } from './lookalike.js';
import { explainNearest } from './nearest.js';
import { misreadings } from './variants.js';

/** One of several consecutive edits. */
interface Miss {
  /** The text left by the edits before this one. */
  readonly rope: Rope;
  readonly old: Buffer;
  /** With its effective `replace_all`. */
  readonly edit: TextEdit & { readonly old_string: string };
  readonly needle: Needle;
}

const parameters = { text: 'old_string', replacement: 'new_string' };

/**
 * How much of a text is examined, in bytes: more would take longer than an error may. Covers every file under the
 * default --max-size.
 */
const mostExamined = 16_777_216;
/** How much of the string is quoted back, in UTF-16 units: the caller has it. */
export const mostEchoed = 120;
/** How much of a text is folded, which takes as much memory again. */
const mostExaminedFolded = 4_194_304;
/** With more places than this, the error does not say whether another edit would also match elsewhere. */
const mostPlaces = 20;
/** UTF-16 units. A shorter new string is in many texts by chance: finding it is no evidence that the edit was made. */
const shortestTelling = 4;
/** UTF-16 units. A shorter new string is evidence only if it is in the text exactly once. */
const shortestRepeated = 20;

/** @returns sentences, beginning with `String not found: "…"` */
export function explainFailedEdit(miss: Miss): string {
  const {
    old_string,
    new_string,
    case_insensitive = false,
    replace_all: isForAll = false,
    whole_word = false,
  } = miss.edit;
  const caseMatters = case_insensitive ? 'not' : 'as asked';
  // A replacement written by an edit of this request is no evidence that this edit was made before.
  const replacement = isChanged(miss.rope) && !miss.old.includes(Buffer.from(new_string)) ? undefined : new_string;
  const sought = { text: old_string, replacement, parameters, isForAll, caseMatters, wholeWord: whole_word } as const;
  const explained = matchedBefore(miss) ?? explainAfterEdits(miss, sought);
  return `String not found: ${quote(old_string, mostEchoed)}. ${explained}`;
}

function explainAfterEdits({ rope }: Miss, sought: Sought): string {
  const text = rope.toBuffer();
  if (!isChanged(rope)) return explainNotInText(text, sought);
  if (text.length === 0) return 'The preceding edits removed all the text.';
  return `${explainNotInText(text, sought)} ${countedIn}`;
}

/** Appended when line numbers are not those of the file. */
export const countedIn = 'Line numbers refer to the text after the preceding edits.';

/** Whether edits have changed the text. */
export function isChanged({ pieces }: Rope): boolean {
  return pieces.some(({ edit }) => edit !== 0);
}

/** @param whole text that does not contain the string @returns sentences */
export function explainNotInText(whole: Buffer, sought: Sought): string {
  const text = whole.subarray(0, mostExamined);
  const applied = alreadyApplied(text, sought);
  const said = applied === undefined ? [] : [applied];
  const likely = explainWithinWords(text, sought) ?? explainMisreading(text, sought) ?? explainLookalike(text, sought);
  // An agent that reads that its edit has been made may well stop there: say so first only if the old text is nowhere.
  if (likely !== undefined) return [likely, ...said].join(' ');
  return [...said, explainNearest(text, sought, text.length === whole.length)].join(' ');
}

function alreadyApplied(
  text: Buffer,
  { text: wanted, replacement = '', parameters: names }: Sought,
): string | undefined {
  const { length } = replacement.trim();
  if (length < shortestTelling || wanted.includes(replacement)) return undefined;
  const [start, second] = findAll(text, Buffer.from(replacement), false, 2);
  if (start === undefined || (second !== undefined && length < shortestRepeated)) return undefined;
  return `${names.replacement} is already in the text, at line ${lineAt(text, start)}: this edit may have been made before.`;
}

/** The text is there, but not as a whole word. */
function explainWithinWords(
  text: Buffer,
  { text: wanted, isForAll, caseMatters, wholeWord = false }: Sought,
): string | undefined {
  if (!wholeWord) return undefined;
  const folded = caseMatters === 'not';
  const string = Buffer.from(wanted);
  const needle = { bytes: folded ? fold(string).bytes : string, folded };
  const parts = partsWith(needle, text, true, mostPlaces + 1);
  const [first] = parts;
  if (first === undefined) return undefined;
  const starts = parts.map(({ oldStart }) => oldStart);
  const lines = `${parts.length === 1 ? 'line' : 'lines'} ${namedLines([untouched(text)], starts)}`;
  const advice =
    parts.length === 1 || isForAll
      ? 'Leave out whole_word if it is to be replaced there.'
      : 'If one of these is meant, leave out whole_word and send more of the surrounding text, so that old_string matches once.';
  return `The text is only within longer words, as whole_word counts them, at ${lines}: ${quote(wordAround(text, first), mostEchoed)}. ${advice}`;
}

/** A part of a text, with the letters, digits and `_` around it. */
function wordAround(text: Buffer, { oldStart, oldEnd }: OldPart): string {
  const [before = ''] =
    /[\p{L}\p{N}_]*$/u.exec(text.toString('utf8', Math.max(0, oldStart - mostEchoed), oldStart)) ?? [];
  const [after = ''] = /^[\p{L}\p{N}_]*/u.exec(text.toString('utf8', oldEnd, oldEnd + mostEchoed)) ?? [];
  return before + text.toString('utf8', oldStart, oldEnd) + after;
}

/** The text is there as the caller probably meant it. */
function explainMisreading(text: Buffer, sought: Sought): string | undefined {
  const { text: wanted, parameters: names } = sought;
  if (wanted.length > mostCompared) return undefined;
  for (const { mend, fault } of misreadings) {
    const mended = mend(wanted);
    if (mended === '' || mended === wanted || !mended.isWellFormed()) continue;
    const [start] = placesOf(text, mended, sought, 1);
    if (start === undefined) continue;
    return `${fault(names.text)}: the text is at line ${lineAt(text, start)}. ${sendInstead(text, mended, sought)}`;
  }
  return undefined;
}

/** Earlier edits of the same request have changed the text. */
function matchedBefore({
  rope,
  old,
  needle,
  edit: { replace_all = false, whole_word = false },
}: Miss): string | undefined {
  if (!isChanged(rope)) return undefined;
  const words = new WholeWords([untouched(old)]);
  const places = partsWith(
    needle,
    old,
    !replace_all,
    mostPlaces,
    ({ oldStart, oldEnd }) => !whole_word || words.has(oldStart, oldEnd),
  );
  const [place] = places;
  if (place === undefined) return undefined;
  const [first = mixed, another] = new Set(changedPiecesIn(rope, [place]).map(({ edit }) => edit));
  const one = another === undefined && first !== mixed ? first : undefined;
  const which = one === undefined ? 'earlier edits' : `edit ${one}`;
  const isOnly = replace_all ? places.length < mostPlaces : places.length === 1;
  const canGoFirst = one !== undefined && isOnly && matchesElsewhere(rope, one, places);
  return `The text was at line ${lineAt(old, place.oldStart)} until ${which} of this request changed it: each edit is matched against the result of the previous ones. Change old_string to match that result, or ${canGoFirst ? 'put this edit first' : 'make the changes in one edit'}.`;
}

/** A part of the old text, in bytes. */
type OldPart = Pick<Piece, 'oldStart' | 'oldEnd'>;

/** Where the examined part of a text has the string: the first `most` places that count. */
function partsWith(
  { bytes: wanted, folded }: Needle,
  text: Buffer,
  overlapping: boolean,
  most: number,
  isWanted: (part: OldPart) => boolean = () => true,
): readonly OldPart[] {
  const { bytes, sourceOffset } = folded
    ? fold(text.subarray(0, mostExaminedFolded))
    : { bytes: text, sourceOffset: (offset: number) => offset };
  const parts: OldPart[] = [];
  findEach(bytes, wanted, overlapping, (found) => {
    const part = { oldStart: sourceOffset(found), oldEnd: sourceOffset(found + wanted.length) };
    if (isWanted(part)) parts.push(part);
    return parts.length < most;
  });
  return parts;
}

/** The pieces that edits have written in one of these places, or right before it. */
function changedPiecesIn({ pieces }: Rope, places: readonly OldPart[]): readonly Piece[] {
  return pieces.filter(
    ({ edit, oldStart, oldEnd }) =>
      edit !== 0 && places.some((place) => oldStart < place.oldEnd && oldEnd >= place.oldStart),
  );
}

/**
 * Whether the edit that alone has changed these places would still match elsewhere. If not, it would be the next one to
 * fail.
 */
function matchesElsewhere(rope: Rope, number: number, places: readonly OldPart[]): boolean {
  const changed = new Set(changedPiecesIn(rope, places));
  return (
    [...changed].every(({ edit }) => edit === number) &&
    rope.pieces.some((piece) => piece.edit === number && !changed.has(piece))
  );
}
