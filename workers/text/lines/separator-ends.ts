import { Chunks, countSeparators, sourceOf } from '../chunks.js';
import { beginCounts, countChunk, isBehindSeparator, separatorCounts, skipSeparators } from '../kernel.js';
import type { Text } from '../scattered-text.js';
import { CR, LF, type LineSummary, type Separator } from '../separators.js';
import { totalLines } from './lines.js';

interface SeparatorEnds {
  /** The end of each wanted separator; those that the text lacks are absent. */
  readonly ends: ReadonlyMap<number, number>;
  readonly summary: LineSummary;
}

/**
 * One pass over a contiguous text. Only the wanted ends are stored, since a text can have ten million lines. 1 MB takes
 * 0.06 ms; searching for one separator after another takes 0.35.
 * @param wanted numbers of separators, counted from 1, ascending
 */
export function findSeparators(bytes: Buffer, wanted: readonly number[]): SeparatorEnds {
  const chunks = new Chunks(sourceOf(bytes));
  const ends = new Map<number, number>();
  let next = 0;
  let before = 0;
  beginCounts();
  while (chunks.next()) {
    const { position, length } = chunks;
    const passed = before + countChunk(length);
    let offset = 0;
    for (let number = before; (wanted[next] ?? Infinity) <= passed; next++) {
      const one = wanted[next] ?? 0;
      offset = skipSeparators(offset, length, one - number);
      number = one;
      ends.set(one, endBehind(bytes, position + offset));
    }
    before = passed;
  }
  const ended = separatorBefore(bytes, bytes.length) !== '';
  return { ends, summary: { totalLines: totalLines(chunks, before), separators: separatorCounts(), ended } };
}

/** In one pass over a text, which may be scattered. */
export function summaryOf(text: Text): LineSummary {
  const chunks = new Chunks(sourceOf(text));
  beginCounts();
  const lines = totalLines(chunks, countSeparators(chunks));
  const ended = chunks.end > 0 && isBehindSeparator(chunks.length);
  return { totalLines: lines, separators: separatorCounts(), ended };
}

/** To the kernel, a `\r\n` ends after its `\r`. */
function endBehind(bytes: Buffer, offset: number): number {
  return bytes[offset - 1] === CR && bytes[offset] === LF ? offset + 1 : offset;
}

/** The separator that ends at `offset`, which is not inside one; '' if there is none. */
export function separatorBefore(bytes: Buffer, offset: number): Separator | '' {
  const last = bytes[offset - 1];
  if (last === CR) return '\r';
  if (last !== LF) return '';
  return bytes[offset - 2] === CR ? '\r\n' : '\n';
}
