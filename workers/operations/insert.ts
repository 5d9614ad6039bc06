import { bytesOf } from '../../src/core/json/large-text.js';
import { join, unlessSame } from '../text/scattered-text.js';
import { insertAtLine } from '../text/edit/insert-at-line.js';
import { firstSeparator, mayMix } from '../text/edit/mixed-endings.js';
import { placeOfText } from '../text/place.js';
import { changingText } from '../commit/text-at-path.js';

const nothing = Buffer.alloc(0);

/** Insert text before a line, byte for byte (spec 11). */
export const insertText = changingText<'insert'>((text, { insert_line, new_str }) => {
  const { before, added, after } = insertAtLine(text, insert_line, bytesOf(new_str));
  const separator = firstSeparator(text);
  return {
    text: unlessSame(text, join([...before, added, after])),
    mayMix: separator !== undefined && mayMix(separator, nothing, added),
    report: () => ({ forModel: { place: placeOfText(before, added, after) } }),
  };
});
