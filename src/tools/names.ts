import { jsonOf } from '../json/json-of.js';

/**
 * A file name as one line of a text: characters that begin another line, or are invisible, are escaped as in JSON. A
 * file with such a name must not pass for several. The structured result has the name as it is.
 */
export function onOneLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) =>
    character < ' ' ? jsonOf(character).slice(1, -1) : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
