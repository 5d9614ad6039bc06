import { bytesOf } from '../../src/json/large-text.js';
import { insertAtLine } from '../text/lines/insert-at-line.js';
import { unlessSame } from '../text/scattered-text.js';
import { changingText } from './text-at-path.js';

/** Insert text before a line, exactly as it is given (contract 11). */
export const insertText = changingText<'insert'>((text, { insert_line, new_str }) => ({
  text: unlessSame(text, insertAtLine(text, insert_line, bytesOf(new_str))),
}));
