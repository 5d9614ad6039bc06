import { OperationError } from '../../src/core/errors.js';
import { contentHead, partsOf, type JsonBytes } from './json-answer.js';
import { textMemory } from '../text/text-memory.js';

const equalsSign = 0x3d;
const noDigit = 64;

/** The value of each digit, by its byte. */
const digits = new Uint8Array(256).fill(noDigit);
for (const [value, letter] of Buffer.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries()) {
  digits[letter] = value;
}

/**
 * Decode base64. Node decodes only strings, and leniently: strings made of pieces of 10 MB left garbage by which the
 * thread grew 5 MB, in a request that may take 1 MB. Takes 20 ms.
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
        `At position ${String(behindPadding(text, at) + 1)} stands what is no base64. Send only A-Z a-z 0-9 + / and the padding, without line breaks.`,
      );
    }
    bits = (bits << 6) | digit;
    const step = at & 3;
    // Bits above the lowest eight belong to bytes that have been written already.
    if (step > 0) bytes[length++] = bits >> (6 - 2 * step);
  }
  if (text.length % 4 !== 0) {
    throw notBase64('The length of base64 is a multiple of 4, filled up with "=". Send it with its padding.');
  }
  return bytes;
}

/** The padding itself is right: what is wrong stands behind it, such as the line break that the command base64 adds. */
function behindPadding(text: Buffer, start: number): number {
  let at = start;
  while (text[at] === equalsSign && at < text.length - 1) at += 1;
  return at;
}

function notBase64(details: string): OperationError {
  return new OperationError('invalid_encoding', 'Content does not match specified encoding', { details });
}

/** How many bytes their base64 takes. */
export function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** Bytes encoded at once: a multiple of 3, so that no padding appears in between. */
const piece = 49_152;

/**
 * Bytes as the content of an answer, in base64, without ever holding all of that text.
 * @param tail what follows the content, from its closing quote on; ASCII
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
