import { Chunks, sourceOf } from '../chunks.js';
import { beginCounts, countChunk, separatorCounts, skipSeparators } from '../kernel.js';
import { CR, LF, type Separator } from '../separators.js';
import { totalLines } from './lines.js';
import type { Outline } from './outline.js';

interface SeparatorEnds {
  /** Where each of the wanted ones ends; those that the text has not are absent. */
  readonly ends: ReadonlyMap<number, number>;
  readonly outline: Outline;
}

/**
 * One pass over a text in memory: only what is wanted is remembered, since it can have ten million lines. 1 MB takes 0.06 ms,
 * a search for one separator after the other 0.35.
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
  return { ends, outline: { totalLines: totalLines(chunks, before), separators: separatorCounts(), ended } };
}

/** The kernel takes a `\r\n` for ended where its `\r` is. */
function endBehind(bytes: Buffer, offset: number): number {
  return bytes[offset - 1] === CR && bytes[offset] === LF ? offset + 1 : offset;
}

/** What ends the line before `offset`, which is not in the middle of a separator; '' if nothing does. */
export function separatorBefore(bytes: Buffer, offset: number): Separator | '' {
  const last = bytes[offset - 1];
  if (last === CR) return '\r';
  if (last !== LF) return '';
  return bytes[offset - 2] === CR ? '\r\n' : '\n';
}
