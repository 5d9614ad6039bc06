import { CR, LF } from '../separators.js';
import { findSeparators } from './separator-ends.js';

/**
 * A text with `\r\n` for every `\n`: what a caller means who believes that the lines of a file end with `\n` (spec 15).
 * @returns the text itself if each `\n` has its `\r` already
 */
export function withCrlf(text: Buffer): Buffer {
  const bare = findSeparators(text, []).outline.separators['\n'];
  if (bare === 0) return text;
  const taken = Buffer.allocUnsafeSlow(text.length + bare);
  let to = 0;
  for (let from = 0; from < text.length; from++) {
    if (text[from] === LF && text[from - 1] !== CR) taken[to++] = CR;
    taken[to++] = text[from] ?? 0;
  }
  return taken;
}
