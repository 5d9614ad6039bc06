/** Suggests names in a directory for a name that is missing (spec 15). */
import { distance } from './distance.js';

/** More suggestions do not help. */
export const mostMeant = 3;

/** Larger directories are not searched. */
export const mostNames = 10_000;

/** A name regardless of case, Unicode form and kinds of spaces. */
export function folded(name: string): string {
  return caseless(oneForm(name)).normalize('NFC');
}

/** A name regardless of Unicode form and kinds of spaces: as it looks to a reader. */
export function oneForm(name: string): string {
  return name.replaceAll(/\s/gu, ' ').normalize('NFC');
}

/** A text regardless of case. It is folded both ways: `ß` is lower case already, and `SS` upper case. */
export function caseless(text: string): string {
  return text.toLowerCase().toUpperCase();
}

interface Known<Entry> {
  readonly entry: Entry;
  readonly folded: string;
  readonly letters: number;
}

/** The names in a directory, prepared for comparison. */
export class NamesMeant<Entry extends { readonly name: string }> {
  readonly #known: readonly Known<Entry>[];

  constructor(entries: readonly Entry[]) {
    this.#known = entries.map((entry) => {
      const name = folded(entry.name);
      return { entry, folded: name, letters: lettersIn(name) };
    });
  }

  /** Equal except for Unicode form and kinds of spaces. */
  lookTheSame(asked: string): Entry[] {
    const wanted = oneForm(asked);
    return this.areAlike(asked).filter(({ name }) => oneForm(name) === wanted);
  }

  /** Equal except for case, Unicode form and kinds of spaces. */
  areAlike(asked: string): Entry[] {
    const wanted = folded(asked);
    return this.#known
      .filter(({ entry, folded }) => folded === wanted && mayBeMeant(entry.name, asked))
      .map(({ entry }) => entry);
  }

  /** Equal except for a missing extension, or within a few edits; the nearest first. */
  areNear(asked: string): Entry[] {
    const wanted = folded(asked);
    const letters = lettersIn(wanted);
    const enough = Array.from(wanted).length < shortest ? 2 : 3;
    const found: { entry: Entry; changes: number }[] = [];
    for (const known of this.#known) {
      const changes = lacksExtension(wanted, known.folded) ? 0 : changesBetween(wanted, letters, known, enough);
      if (changes < enough && mayBeMeant(known.entry.name, asked)) found.push({ entry: known.entry, changes });
    }
    // Sorting is stable: equals keep the order of the entries.
    return found.sort((a, b) => a.changes - b.changes).map(({ entry }) => entry);
  }
}

/** Shorter names allow one edit only: two would leave too little. */
const shortest = 6;

function changesBetween<Entry>(wanted: string, letters: number, known: Known<Entry>, enough: number): number {
  // A changed letter is missing from one name, and its replacement from the other. This rules out most names.
  return ones(letters ^ known.letters) > 2 * (enough - 1) ? enough : distance(wanted, known.folded, enough);
}

/** Hidden names are offered only for a hidden name. */
function mayBeMeant(name: string, asked: string): boolean {
  return name !== asked && (asked.startsWith('.') || !name.startsWith('.'));
}

function lacksExtension(a: string, b: string): boolean {
  return a.length < b.length ? isStem(a, b) : isStem(b, a);
}

function isStem(stem: string, name: string): boolean {
  return stem !== '' && name.startsWith(stem) && name.lastIndexOf('.') === stem.length;
}

/** The letters of a word as a set of bits; some letters share one. */
function lettersIn(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
