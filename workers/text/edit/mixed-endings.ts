/** Notices an edit that leaves two kinds of line endings in a file that had one (spec 15). */
import { Chunks, countSeparators, sourceOf } from '../chunks.js';
import { beginCounts, input, separatorCounts } from '../kernel.js';
import type { Text } from '../scattered-text.js';
import { CR, LF, type Separator } from '../separators.js';
import { findSeparators } from '../lines/separator-ends.js';

/** What ends the first line of a text; undefined if nothing does. */
export function firstSeparator(text: Buffer): Separator | undefined {
  const lf = text.indexOf(LF);
  const cr = text.subarray(0, lf === -1 ? text.length : lf).indexOf(CR);
  if (cr === -1) return lf === -1 ? undefined : '\n';
  return cr + 1 === lf ? '\r\n' : '\r';
}

/**
 * Whether a text that had only this kind of separator may have several once `added` has replaced `removed`. Looks at
 * nothing else of the text, so that a text of 10 MB need not be counted.
 */
export function mayMix(separator: Separator, removed: Buffer, added: Buffer): boolean {
  if (separator === '\n') return added.includes(CR);
  if (separator === '\r') return added.includes(LF);
  // A `\r\n` may be cut in two.
  if (removed[0] === LF || removed.at(-1) === CR) return true;
  const { '\n': lf, '\r': cr } = findSeparators(added, []).summary.separators;
  return lf + cr > 0;
}

/**
 * What to tell a caller whose edit may have mixed the separators of a text.
 * @param isDone whether the new text is written, not just reported
 * @returns undefined unless the old text had one kind of them and the new one has several
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
  beginCounts();
  countSeparators(new Chunks(sourceOf(text)));
  const counts = separatorCounts();
  const kinds: readonly Separator[] = ['\n', '\r\n', '\r'];
  return kinds.filter((separator) => counts[separator] > 0);
}

interface Ending {
  readonly line: number;
  readonly separator: Separator;
}

/** The first line of a text that ends otherwise. There must be one. */
function firstOther(text: Text, usual: Separator): Ending {
  const chunks = new Chunks(sourceOf(text));
  let line = 1;
  let behindCr = false;
  while (chunks.next()) {
    for (let at = 0; at < chunks.length; at++) {
      const byte = input[at];
      if (behindCr || byte === LF) {
        const separator = !behindCr ? '\n' : byte === LF ? '\r\n' : '\r';
        if (separator !== usual) return { line, separator };
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
