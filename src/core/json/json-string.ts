/** JSON strings as bytes, for texts too large to become JavaScript strings. */
import type { LargeText } from './large-text.js';
import { inSharedMemory, sharedBytes } from '../memory/shared.js';

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** Meaning of the character after a backslash, by its byte. */
const meanings = new Uint8Array(256);
for (const pair of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
  meanings[pair.charCodeAt(0)] = pair.charCodeAt(1);
}

/** The value of each hexadecimal digit, by its byte; 16 for anything else. */
const digits = new Uint8Array(256).fill(16);
for (let digit = 0; digit < 16; digit++) {
  const letter = digit.toString(16);
  digits[letter.charCodeAt(0)] = digit;
  digits[letter.toUpperCase().charCodeAt(0)] = digit;
}

/** Outside the range of a UTF-16 unit. */
const noUnit = 0x10000;

/**
 * Index of the closing quote of the string that starts at `start`; the length of the text if there is none; negative if
 * the characters before the quote are not a valid JSON string.
 */
export function stringEnd(json: Buffer, start: number): number {
  let sign = 1;
  let at = start + 1;
  while (at < json.length) {
    const byte = json[at] ?? 0;
    if (byte === quote) return sign * at;
    if (byte === backslash) {
      const isUnit = json[at + 1] === letterU && unitAt(json, at + 2) !== noUnit;
      if (!isUnit && meanings[json[at + 1] ?? 0] === 0) sign = -1;
      at += isUnit ? 6 : 2;
    } else {
      if (byte < 0x20) sign = -1;
      at += 1;
    }
  }
  return json.length;
}

/** The UTF-16 unit of four hexadecimal digits; otherwise `noUnit`. Unrolled: a loop took three times as long. */
function unitAt(json: Uint8Array, at: number): number {
  const first = digits[json[at] ?? 0] ?? 16;
  const second = digits[json[at + 1] ?? 0] ?? 16;
  const third = digits[json[at + 2] ?? 0] ?? 16;
  const fourth = digits[json[at + 3] ?? 0] ?? 16;
  if (((first | second | third | fourth) & 16) !== 0) return noUnit;
  return (first << 12) | (second << 8) | (third << 4) | fourth;
}

/**
 * The text of a JSON string: 10 MB take 19 ms.
 * @param escaped the valid characters between the quotes. Overwritten if in shared memory, so that the text is in
 *   memory only once
 * @returns the text; a lone surrogate is encoded like a character, which makes the result invalid UTF-8
 */
export function unescaped(escaped: Buffer): LargeText {
  const text = inSharedMemory(escaped) ? escaped : copyOf(escaped);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (byte !== backslash) {
      text[length++] = byte;
      continue;
    }
    const letter = text[++at] ?? 0;
    if (letter === letterU) {
      const point = pointAt(text, at + 1);
      at += point > 0xffff ? 10 : 4;
      length = writePoint(text, length, point);
    } else {
      text[length++] = meanings[letter] ?? 0;
    }
  }
  return text.subarray(0, length);
}

function copyOf(bytes: Buffer): LargeText {
  const copy = sharedBytes(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** The code point of one or two escaped UTF-16 units; a lone surrogate is returned as is. */
function pointAt(json: Uint8Array, at: number): number {
  const high = unitAt(json, at);
  if (high < 0xd800 || high > 0xdbff || json[at + 4] !== backslash || json[at + 5] !== letterU) return high;
  const low = unitAt(json, at + 6);
  return low < 0xdc00 || low > 0xdfff ? high : 0x10000 + ((high - 0xd800) << 10) + low - 0xdc00;
}

/** The leading bits of a character's first byte, by the number of bytes that follow it. */
const marks = [0, 0xc0, 0xe0, 0xf0];

/** Write a code point in UTF-8. @returns the offset after it */
function writePoint(text: Uint8Array, at: number, point: number): number {
  const following = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  text[at] = (marks[following] ?? 0) | (point >> (6 * following));
  for (let index = 1; index <= following; index++) {
    text[at + index] = 0x80 | ((point >> (6 * (following - index))) & 0x3f);
  }
  return at + following + 1;
}
