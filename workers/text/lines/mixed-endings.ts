/** Tells of an edit that leaves two kinds of line endings in a file that had one (spec 15). */
import { Chunks, sourceOf } from '../chunks.js';
import { beginCounts, countChunk, separatorCounts } from '../kernel.js';
import { piecesOf, type Text } from '../scattered-text.js';
import { CR, LF, type Separator, type SeparatorCounts } from '../separators.js';
import { findSeparators } from './separator-ends.js';

/** What ends the first line of a text; undefined if nothing does. */
export function firstSeparator(text: Buffer): Separator | undefined {
  const lf = text.indexOf(LF);
  const cr = text.subarray(0, lf === -1 ? text.length : lf).indexOf(CR);
  if (cr === -1) return lf === -1 ? undefined : '\n';
  return cr + 1 === lf ? '\r\n' : '\r';
}

/**
 * Whether a text may have more than one kind of separator, if it had only this one before `added` took the place of
 * `removed`. Looks at nothing else of the text, so that an edit of 10 MB need not be counted.
 */
export function mayMix(separator: Separator, removed: Buffer, added: Buffer): boolean {
  if (separator === '\n') return added.includes(CR);
  if (separator === '\r') return added.includes(LF);
  // A `\r\n` may be cut in two.
  if (removed[0] === LF || removed.at(-1) === CR) return true;
  const { '\n': lf, '\r': cr } = findSeparators(added, []).outline.separators;
  return lf + cr > 0;
}

/**
 * What a caller is told whose edit may have mixed the separators of a text.
 * @param isDone whether the new text is written, not only reported on
 * @returns undefined if the old text had none or several kinds of them, or the new one has not
 */
export function noticeOfMix(old: Buffer, text: Text, isDone: boolean): string | undefined {
  const [usual, another] = kindsIn(old);
  if (usual === undefined || another !== undefined || kindsIn(text).length < 2) return undefined;
  const { line, separator } = firstOther(text, usual);
  const was = written(usual);
  const what = isDone
    ? `The file now mixes line endings: it had only ${was}, and line ${line} ends with ${written(separator)}.`
    : `The file would mix line endings: it has only ${was}, and line ${line} would end with ${written(separator)}.`;
  return `${what} Send every line ending of this file as ${was}.`;
}

function kindsIn(text: Text): readonly Separator[] {
  const counts = countsIn(text);
  const kinds: readonly Separator[] = ['\n', '\r\n', '\r'];
  return kinds.filter((separator) => counts[separator] > 0);
}

function countsIn(text: Text): SeparatorCounts {
  const chunks = new Chunks(sourceOf(text));
  beginCounts();
  while (chunks.next()) countChunk(chunks.length);
  return separatorCounts();
}

interface Ending {
  readonly line: number;
  readonly separator: Separator;
}

/** The first line of a text that does not end as usual. There is one; it takes 10 ms to find it behind 10 MB. */
function firstOther(text: Text, usual: Separator): Ending {
  let line = 1;
  let behindCr = false;
  for (const piece of piecesOf(text)) {
    for (const byte of piece) {
      if (behindCr) {
        const separator = byte === LF ? '\r\n' : '\r';
        if (separator !== usual) return { line, separator };
        line += 1;
      } else if (byte === LF) {
        if (usual !== '\n') return { line, separator: '\n' };
        line += 1;
      }
      behindCr = byte === CR;
    }
  }
  return { line, separator: '\r' };
}

/** As it is written in JSON. */
function written(separator: Separator): string {
  return JSON.stringify(separator).slice(1, -1);
}
