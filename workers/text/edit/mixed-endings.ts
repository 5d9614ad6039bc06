/** Detects an edit that leaves two kinds of line endings in a file that had one (spec 15). */
import { Chunks, countSeparators, sourceOf } from '../chunks.js';
import { beginCounts, separatorCounts } from '../kernel.js';
import type { Text } from '../scattered-text.js';
import { CR, kindsOf, LF, type Separator } from '../separators.js';
import { findSeparators } from '../lines/separator-ends.js';

/** The separator of a text's first line; undefined if there is none. */
export function firstSeparator(text: Buffer): Separator | undefined {
  const lf = text.indexOf(LF);
  const cr = text.subarray(0, lf === -1 ? text.length : lf).indexOf(CR);
  if (cr === -1) return lf === -1 ? undefined : '\n';
  return cr + 1 === lf ? '\r\n' : '\r';
}

/**
 * Whether a text with only this kind of separator may have several after `added` has replaced `removed`. Inspects only
 * these two, so a text of 10 MB need not be scanned.
 */
export function mayMix(separator: Separator, removed: Buffer, added: Buffer): boolean {
  if (separator === '\n') return added.includes(CR);
  if (separator === '\r') return added.includes(LF);
  // The replacement may split a `\r\n`.
  if (removed[0] === LF || removed.at(-1) === CR) return true;
  const { '\n': lf, '\r': cr } = findSeparators(added, []).summary.separators;
  return lf + cr > 0;
}

/**
 * The notice for a caller whose edit may have mixed the separators of a text.
 * @param isDone whether the new text is written, not just reported
 * @returns undefined unless the old text had one kind and the new one has several
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
  return kindsOf(separatorCounts());
}

interface Ending {
  readonly line: number;
  readonly separator: Separator;
}

/** The first line of a text with another ending. There must be one. */
function firstOther(text: Text, usual: Separator): Ending {
  const chunks = new Chunks(sourceOf(text));
  let line = 1;
  let behindCr = false;
  while (chunks.next()) {
    for (let at = 0; at < chunks.length; at++) {
      const byte = chunks.bytes[at];
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

/** As written in JSON. */
function written(separator: Separator): string {
  return JSON.stringify(separator).slice(1, -1);
}
