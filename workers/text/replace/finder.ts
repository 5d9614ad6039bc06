import type { TextEdit } from '../../../src/operations.js';
import { explainMiss } from '../miss/miss.js';
import { headOf, sampleOf } from '../search/anchor.js';
import { fold } from '../search/case-folding.js';
import { findMatches } from '../search/matches.js';
import { Rope } from '../search/rope.js';
import { Sieve, type Needle } from '../search/sieve.js';
import type { Spans } from '../search/spans.js';
import type { Fail } from './edit-failed.js';
import { explainMany } from './several-matches.js';

/** A sieve costs as much as this many searches. */
const fewestSieved = 16;
const smallestSieved = 65_536;

/** Finds what each of several edits replaces, in the text that those before it have left. */
export class Finder {
  /** The text; each edit is carried out in it before the next one is looked for. */
  readonly rope: Rope;
  readonly #old: Buffer;
  readonly #replaceAll: boolean;
  readonly #needles: readonly Needle[];
  readonly #sieve: Sieve | undefined;
  readonly #sample: ReturnType<typeof sampleOf>;

  /** @param replaceAll for edits that do not set it themselves */
  constructor(old: Buffer, edits: readonly TextEdit[], replaceAll: boolean) {
    this.#old = old;
    this.#replaceAll = replaceAll;
    this.#needles = edits.map(needleOf);
    const sieved = edits.length >= fewestSieved && old.length >= smallestSieved;
    this.#sieve = sieved ? new Sieve(this.#needles, old) : undefined;
    this.#sample = sieved ? undefined : sampleOf(old);
    this.rope = new Rope(old, this.#sieve);
  }

  /**
   * @param index of the edit among those that were given, from 0
   * @returns none if the edit changes nothing
   * @throws OperationError string_not_found, string_not_unique; invalid_params for an empty text
   */
  find(edit: TextEdit, index: number, fail: Fail): Spans {
    const { old_string, new_string, replace_all = this.#replaceAll } = edit;
    assertNotEmpty(old_string, fail);
    const needle = this.#needles[index] ?? needleOf(edit);
    const anchor = (needle.folded ? undefined : this.#sample?.anchorOf(needle.bytes)) ?? headOf(needle.bytes);
    const isNoOp = old_string === new_string;
    // A no-op only has to know that there is a match: finding all of them took 2 s for each such edit of 20 MB.
    const wanted = { overlapping: !replace_all, most: isNoOp && replace_all ? 1 : Infinity };
    const { rope } = this;
    const sieve = this.#sieve && { sieve: this.#sieve, number: index };
    const matches = findMatches(rope, needle, anchor, wanted, sieve);
    if (matches.length === 0) {
      throw fail('string_not_found', explainMiss({ rope, old: this.#old, edit: { ...edit, replace_all }, needle }));
    }
    const isRefused = matches.length > 1 && !replace_all;
    const explained = isRefused ? explainMany(rope, matches) : '';
    if (isRefused || isNoOp) matches.free();
    if (isRefused) throw fail('string_not_unique', explained);
    return matches;
  }
}

function needleOf({ old_string, case_insensitive = false }: TextEdit): Needle {
  const bytes = Buffer.from(old_string);
  return { bytes: case_insensitive ? fold(bytes).bytes : bytes, folded: case_insensitive };
}

function assertNotEmpty(text: string, fail: Fail): void {
  if (text !== '') return;
  throw fail(
    'invalid_params',
    'old_string is empty, so there is nothing to look for. To insert text, send as old_string the text beside which it belongs, and as new_string both of them.',
  );
}
