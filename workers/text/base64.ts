import { OperationError } from '../../src/errors.js';
import { head, partsOf, type JsonBytes } from './json-answer.js';

/** @throws OperationError invalid_encoding if it is not base64 with its padding (RFC 4648, section 4) */
export function bytesOfBase64(text: string): Buffer {
  const digits = text.replace(/={1,2}$/, '');
  const bad = /[^A-Za-z0-9+/]/.exec(digits);
  if (bad !== null || text.length % 4 !== 0) {
    const details =
      bad === null
        ? 'The length of base64 is a multiple of 4, filled up with "=". Send it with its padding.'
        : `At position ${String(bad.index + 1)} stands what is no base64. Send only A-Z a-z 0-9 + / and the padding, without line breaks.`;
    throw new OperationError('invalid_encoding', 'Content does not match specified encoding', { details });
  }
  return Buffer.from(text, 'base64');
}

/** Bytes that are written at once: a multiple of 3, so that no padding stands in between. */
const piece = 49_152;

/**
 * Bytes as the content of an answer, in base64, whose text is never held as a whole.
 * @param tail what stands behind the content, from its quote on; ASCII
 */
export function base64Json(bytes: Buffer, tail: string): JsonBytes {
  const end = head.length + 4 * Math.ceil(bytes.length / 3);
  const json = Buffer.allocUnsafeSlow(end + tail.length);
  let at = json.write(head, 'latin1');
  for (let from = 0; from < bytes.length; from += piece) {
    at += json.write(bytes.toString('base64', from, from + piece), at, 'latin1');
  }
  json.write(tail, at, 'latin1');
  return partsOf(json, at, json.length);
}
