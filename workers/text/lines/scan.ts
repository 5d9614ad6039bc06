import { OperationError } from '../../../src/core/errors.js';
import type { Chunks } from '../chunks.js';
import {
  beginCounts,
  beginHash,
  countChunk,
  hashChunk,
  hashOfText,
  isBehindSeparator,
  separatorCounts,
} from '../kernel.js';
import type { LineSummary } from '../separators.js';
import { Utf8Check } from '../utf8.js';
import { LineIndex } from './line-index.js';
import { totalLines } from './lines.js';

/** Facts from a single pass over a text. */
export interface TextFacts extends LineSummary {
  readonly hash: string;
  readonly index: LineIndex;
}

/** Gathers facts about a text as its chunks pass by. */
export class Scan {
  readonly #chunks: Chunks;
  readonly #utf8 = new Utf8Check();
  readonly #index = new LineIndex();
  #separators = 0;

  constructor(chunks: Chunks) {
    this.#chunks = chunks;
    beginHash();
    beginCounts();
  }

  /** Advance to the next chunk. @returns false at the end of the text @throws OperationError not_utf8 */
  next(): boolean {
    const chunks = this.#chunks;
    if (!chunks.next()) return false;
    const { length } = chunks;
    if (!this.#utf8.passes(chunks)) throw notUtf8();
    this.#index.add(this.#separators);
    this.#separators += countChunk(length);
    hashChunk(length);
    return true;
  }

  /** Call after the last chunk. @throws OperationError not_utf8 */
  facts(): TextFacts {
    if (!this.#utf8.complete) throw notUtf8();
    const { length } = this.#chunks;
    const ended = this.#chunks.end > 0 && isBehindSeparator(length);
    const summary = { totalLines: totalLines(this.#chunks, this.#separators), separators: separatorCounts(), ended };
    return { ...summary, hash: hashOfText(length), index: this.#index };
  }
}

/** The text cannot be processed (spec 4). */
export function notUtf8(details?: string): OperationError {
  return new OperationError(
    'not_utf8',
    'File contains invalid UTF-8 encoding',
    details === undefined ? {} : { details },
  );
}
