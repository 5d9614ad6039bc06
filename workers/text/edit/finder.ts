import { OperationError, type ErrorKindName } from '../../../src/core/errors.js';
import type { TextEdit } from '../../../src/core/operations.js';
import { withCrlf } from '../lines/new-text.js';
import { countedIn, explainFailedEdit, isChanged } from '../explain/miss.js';
import { fold } from '../find/case-folding.js';
import { findMatches } from '../find/find-matches.js';
import { namedLines } from '../find/line-numbers.js';
import { Matches } from '../find/matches.js';
import { headOf, sampleOf } from '../find/probe.js';
import { Rope } from '../rope/rope.js';
import { Sieve, type Needle } from '../find/sieve.js';
import { insertAtEdge } from './insert-at-line.js';

/** A sieve costs as much as this many searches. */
const fewestSieved = 16;
const smallestSieved = 65_536;

/** Makes the error of an edit. */
export type Fail = (kind: ErrorKindName, message: string) => OperationError;

/** @param index of the edit, from 0. @param count number of edits */
export function failing(index: number, count: number): Fail {
  const others = count === 1 ? 'it' : 'all edits';
  return (kind, message) =>
    new OperationError(kind, `Edit ${index + 1} of ${count} failed: ${message}`, {
      details: `Nothing was written. Correct edit ${index + 1} as the message says and send ${others} again.`,
    });
}

/** The matches of an edit, and their replacement. */
interface Found {
  /** Empty if the edit changes nothing. A match of width 0 is where the edit adds its text. */
  readonly matches: Matches;
  /** The line of that place, which no search has found. */
  readonly line?: number;
  /** The text that was found: folded if case does not matter. */
  readonly wanted: Buffer;
  /** The replacement text. */
  readonly text: Buffer;
  /** Its `\n`, and those of the new text, were taken as the `\r\n` of the old text. */
  readonly tookCrlf: boolean;
  /** The text was not found, and that is no failure. */
  readonly isMissing?: true;
}

/** What is no failure of a text that is not found. */
interface Leniency {
  /** Whether it may be searched for with the line breaks of the old text. */
  readonly mayTakeCrlf?: boolean;
  /** Whether its edit is passed over. */
  readonly passesOver?: boolean;
}

/** What an edit asks of its matches. */
interface How {
  readonly replaceAll: boolean;
  readonly wholeWord: boolean;
  /** Whether it changes nothing. */
  readonly isNoOp: boolean;
}

/** Finds the matches of several edits, each in the text left by those before it. */
export class Finder {
  /** The text; each edit is applied to it before the next search. */
  readonly rope: Rope;
  readonly #old: Buffer;
  readonly #replaceAll: boolean;
  readonly #needles: readonly Needle[];
  /** The same with `\r\n` for every `\n`; empty if that is not allowed. */
  readonly #crlfNeedles: readonly Needle[];
  readonly #sieve: Sieve | undefined;
  readonly #sample: ReturnType<typeof sampleOf>;
  readonly #passesOver: boolean;

  /** @param replaceAll for edits that do not set it themselves */
  constructor(
    old: Buffer,
    edits: readonly TextEdit[],
    replaceAll: boolean,
    { mayTakeCrlf = false, passesOver = false }: Leniency,
  ) {
    this.#old = old;
    this.#replaceAll = replaceAll;
    this.#passesOver = passesOver;
    this.#needles = edits.map(needleOf);
    this.#crlfNeedles = mayTakeCrlf && old.includes('\r\n') ? this.#needles.map(crlfNeedleOf) : [];
    const sieved = edits.length >= fewestSieved && old.length >= smallestSieved;
    this.#sieve = sieved ? new Sieve([...this.#needles, ...this.#crlfNeedles], old) : undefined;
    this.#sample = sieved ? undefined : sampleOf(old);
    this.rope = new Rope(old, this.#sieve);
  }

  /**
   * @param index of the edit in the request, from 0
   * @throws OperationError string_not_found, string_not_unique; invalid_params for an empty text
   */
  find(edit: TextEdit, index: number, fail: Fail): Found {
    const { old_string = '', at, new_string, replace_all = this.#replaceAll, whole_word = false } = edit;
    if (at !== undefined) return this.#atEdge(at, new_string);
    assertNotEmpty(old_string, fail);
    const needle = this.#needles[index] ?? needleOf(edit);
    const text = Buffer.from(new_string);
    const isNoOp = old_string === new_string;
    const how = { replaceAll: replace_all, wholeWord: whole_word, isNoOp };
    const matches = this.#search(needle, index, how);
    if (matches.length === 0) {
      const found = this.#findWithCrlf(old_string, index, how, text);
      if (found !== undefined) return found;
      if (this.#passesOver) return { matches, wanted: needle.bytes, text, tookCrlf: false, isMissing: true };
      throw fail(
        'string_not_found',
        explainFailedEdit({ rope: this.rope, old: this.#old, edit: { ...edit, old_string, replace_all }, needle }),
      );
    }
    const isRefused = matches.length > 1 && !replace_all;
    const explained = isRefused ? explainMany(this.rope, matches) : '';
    if (isRefused || isNoOp) matches.free();
    if (isRefused) throw fail('string_not_unique', explained);
    return { matches, wanted: needle.bytes, text, tookCrlf: false };
  }

  #atEdge(edge: 'start' | 'end', inserted: string): Found {
    const { offset, added, line } = insertAtEdge(this.rope, edge, inserted);
    const matches = new Matches();
    if (added.length > 0) matches.push(offset, offset);
    return { matches, line, wanted: Buffer.alloc(0), text: added, tookCrlf: false };
  }

  /** @returns undefined if the number of matches is not acceptable */
  #findWithCrlf(wanted: string, index: number, how: How, given: Buffer): Found | undefined {
    const needle = this.#crlfNeedles[index];
    if (needle === undefined || needle === this.#needles[index]) return undefined;
    const text = withCrlf(given);
    const isNoOp = text.equals(withCrlf(Buffer.from(wanted)));
    const matches = this.#search(needle, this.#needles.length + index, { ...how, isNoOp });
    const isThere = matches.length === 1 || (matches.length > 1 && how.replaceAll);
    if (!isThere || isNoOp) matches.free();
    return isThere ? { matches, wanted: needle.bytes, text, tookCrlf: true } : undefined;
  }

  /** @param number of the needle in the sieve */
  #search(needle: Needle, number: number, { replaceAll, wholeWord, isNoOp }: How): Matches {
    const probe = (needle.folded ? undefined : this.#sample?.probeOf(needle.bytes)) ?? headOf(needle.bytes);
    // A no-op only needs to know that there is a match: finding all of them took 2 s for each such edit of 20 MB.
    const wanted = { overlapping: !replaceAll, most: isNoOp && replaceAll ? 1 : Infinity, wholeWord };
    const sieve = this.#sieve && { sieve: this.#sieve, number };
    return findMatches(this.rope, needle, probe, wanted, sieve);
  }
}

function needleOf({ old_string = '', case_insensitive = false }: TextEdit): Needle {
  const bytes = Buffer.from(old_string);
  return { bytes: case_insensitive ? fold(bytes).bytes : bytes, folded: case_insensitive };
}

/** Folding leaves line breaks unchanged. @returns the needle itself if it has no lone `\n` */
function crlfNeedleOf(needle: Needle): Needle {
  const bytes = withCrlf(needle.bytes);
  return bytes === needle.bytes ? needle : { ...needle, bytes };
}

function assertNotEmpty(text: string, fail: Fail): void {
  if (text !== '') return;
  throw fail(
    'invalid_params',
    'old_string is empty, so there is nothing to look for. To insert text, send the text next to it as old_string, and both together as new_string; to add it at the start or the end of the file, send at instead of old_string.',
  );
}

/**
 * The error of an edit that matches more than once, without `replace_all` (spec 11).
 * @param matches which may overlap
 */
function explainMany(rope: Rope, matches: Matches): string {
  const counted = isChanged(rope) ? ` ${countedIn}` : '';
  const replaced = countApart(matches);
  const which = replaced === matches.length ? 'all of them' : `${replaced} of them, since they overlap`;
  return `Found ${matches.length} matches at lines ${namedLines(rope.pieces, matches.starts)}.${counted} Send more of the surrounding text, so that old_string matches once, or set replace_all to true to replace ${which}.`;
}

/** The number of matches counted left to right without overlap. */
function countApart(matches: Matches): number {
  let count = 0;
  let end = 0;
  for (let index = 0; index < matches.length; index++) {
    if (matches.startAt(index) < end) continue;
    count += 1;
    end = matches.endAt(index);
  }
  return count;
}
