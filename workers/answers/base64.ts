import { OperationError } from '../../src/core/errors.js';
import { contentHead, partsOf, type JsonBytes } from './json-answer.js';
import { textMemory } from '../text/text-memory.js';

const equalsSign = 0x3d;
const noDigit = 64;

/** The value of each digit, indexed by its byte. */
const digits = new Uint8Array(256).fill(noDigit);
for (const [value, letter] of Buffer.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries()) {
  digits[letter] = value;
}

/**
 * Decode base64. Node decodes only strings, and leniently: strings made of pieces of 10 MB left garbage that grew the
 * thread by 5 MB, in a request that may take 1 MB. Takes 20 ms.
 * @throws OperationError invalid_encoding if it is not base64 with its padding (RFC 4648, section 4)
 */
export function bytesOfBase64(text: Buffer): Buffer {
  const padding = text.at(-1) !== equalsSign ? 0 : text.at(-2) !== equalsSign ? 1 : 2;
  const end = text.length - padding;
  const bytes = textMemory.take(Math.floor((end * 3) / 4));
  let length = 0;
  let bits = 0;
  for (let at = 0; at < end; at++) {
    const digit = digits[text[at] ?? 0] ?? noDigit;
    if (digit === noDigit) {
      throw notBase64(
        `The character at position ${String(behindPadding(text, at) + 1)} is not base64. Send only A-Z a-z 0-9 + / and the padding, without line breaks.`,
      );
    }
    bits = (bits << 6) | digit;
    const step = at & 3;
    // Higher bits belong to bytes already written.
    if (step > 0) bytes[length++] = bits >> (6 - 2 * step);
  }
  if (text.length % 4 !== 0) {
    throw notBase64('The length of base64 must be a multiple of 4, padded with "=". Send it with its padding.');
  }
  return bytes;
}

/** Skips valid padding to the character that is wrong, such as the line break that the base64 command adds. */
function behindPadding(text: Buffer, start: number): number {
  let at = start;
  while (text[at] === equalsSign && at < text.length - 1) at += 1;
  return at;
}

function notBase64(details: string): OperationError {
  return new OperationError('invalid_encoding', 'Content does not match specified encoding', { details });
}

/** Length of `bytes` bytes in base64. */
export function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** Bytes encoded at a time: a multiple of 3, so no padding appears in between. */
const piece = 49_152;

/**
 * Bytes as the base64 content of an answer, without ever holding the whole base64 text.
 * @param tail the rest of the answer from the content's closing quote; ASCII
 */
export function base64Json(bytes: Buffer, tail: string): JsonBytes {
  const end = contentHead.length + base64Length(bytes.length);
  const json = Buffer.allocUnsafeSlow(end + tail.length);
  let at = json.write(contentHead, 'latin1');
  for (let from = 0; from < bytes.length; from += piece) {
    at += json.write(bytes.toString('base64', from, from + piece), at, 'latin1');
  }
  json.write(tail, at, 'latin1');
  return partsOf(json, at, json.length);
}
