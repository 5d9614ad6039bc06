import { Chunks, type Source } from '../chunks.js';
import { countChunk } from '../kernel.js';
import { Utf8Check } from '../utf8.js';
import { totalLines } from './lines.js';

/** Number of lines of a text (spec 4) in one pass; undefined if it is not valid UTF-8. */
export function lineCount(source: Source): number | undefined {
  const chunks = new Chunks(source);
  const utf8 = new Utf8Check();
  let separators = 0;
  while (chunks.next()) {
    if (!utf8.passes(chunks.length)) return undefined;
    separators += countChunk(chunks.length);
  }
  return utf8.complete ? totalLines(chunks, separators) : undefined;
}
