/**
 * Explains why a string is not in a text, so that the next call is right: where the text is that was meant, what it says, and
 * what differs. Only explains: what is replaced is never anything but the string itself. All of it is a few passes over
 * the text, none of which depends on what it says: 10 to 40 ms for 1 MB.
 */
import type { TextEdit } from '../../../src/operations.js';
import { fold } from '../search/case-folding.js';
import { lineAt } from '../search/line-numbers.js';
import { mixed } from '../search/piece.js';
import type { Rope } from '../search/rope.js';
import { findAll } from '../search/search.js';
import type { Needle } from '../search/sieve.js';
import { misreadings } from './misread.js';
import { explainLookalike, explainNearest, mostCompared, mostShown } from './near-miss.js';
import { shown } from './shown.js';

interface Miss {
  /** What the edits before have made of the old text. */
  readonly rope: Rope;
  readonly old: Buffer;
  readonly edit: TextEdit;
  readonly needle: Needle;
}

/** Bytes of a text that are looked at: more would take more time than an error may. */
const mostExamined = 4_194_304;
/** A new string that is shorter is in many texts by chance. */
const shortestTelling = 4;

/** @returns sentences, beginning with `String not found: "…"` */
export function explainMiss(miss: Miss): string {
  const { old_string } = miss.edit;
  const text = miss.rope.toBuffer().subarray(0, mostExamined);
  const told = [`String not found: ${shown(old_string, mostShown)}.`];
  const applied = alreadyApplied(text, miss.edit);
  if (applied !== undefined) told.push(applied);
  told.push(
    matchedBefore(miss) ??
      misread(text, old_string) ??
      explainLookalike(text, miss.edit) ??
      explainNearest(text, old_string, text.length === miss.rope.length),
  );
  return told.join(' ');
}

function alreadyApplied(text: Buffer, { old_string, new_string }: TextEdit): string | undefined {
  if (new_string.trim().length < shortestTelling || old_string.includes(new_string)) return undefined;
  const [start] = findAll(text, Buffer.from(new_string), false, 1);
  if (start === undefined) return undefined;
  return `new_string is already in the text, at line ${lineAt(text, start)}: this edit may have been made before.`;
}

/** The edits of the same request have changed it. */
function matchedBefore({ rope, old, needle }: Miss): string | undefined {
  if (rope.pieces.every(({ edit }) => edit === 0)) return undefined;
  const { bytes, sourceOffset } = needle.folded
    ? fold(old.subarray(0, mostExamined))
    : { bytes: old, sourceOffset: (offset: number) => offset };
  const [found] = findAll(bytes, needle.bytes, false, 1);
  if (found === undefined) return undefined;
  const start = sourceOffset(found);
  const end = sourceOffset(found + needle.bytes.length);
  const changers = rope.pieces.filter(({ edit, oldStart, oldEnd }) => edit !== 0 && oldStart < end && oldEnd >= start);
  const edits = [...new Set(changers.map(({ edit }) => edit))].sort((a, b) => a - b);
  const [first = mixed] = edits;
  const which = edits.length === 1 && first !== mixed ? `edit ${first}` : 'earlier edits';
  return `It was at line ${lineAt(old, start)} until ${which} of this request changed that text: each edit is matched against what the edits before it have left. Write old_string as the text is then, or put this edit first.`;
}

function misread(text: Buffer, wanted: string): string | undefined {
  if (wanted.length > mostCompared) return undefined;
  for (const { mend, advice } of misreadings) {
    const mended = mend(wanted);
    if (mended === undefined) continue;
    const [start] = findAll(text, Buffer.from(mended), false, 1);
    if (start !== undefined) return advice(lineAt(text, start));
  }
  return undefined;
}
