import { OperationError } from '../../src/errors.js';
import { head, partsOf, type JsonBytes } from './json-answer.js';

/** Digits that are read at once: a multiple of 4. */
const pieceDigits = 65_536;
const equalsSign = 0x3d;

/**
 * @param text as bytes, so that it is never held as a string as a whole
 * @throws OperationError invalid_encoding if it is not base64 with its padding (RFC 4648, section 4)
 */
export function bytesOfBase64(text: Buffer): Buffer {
  const padding = text.at(-1) !== equalsSign ? 0 : text.at(-2) !== equalsSign ? 1 : 2;
  const end = text.length - padding;
  const bytes = Buffer.allocUnsafe(Math.floor((end * 3) / 4));
  let length = 0;
  for (let from = 0; from < end; from += pieceDigits) {
    const digits = text.toString('latin1', from, Math.min(from + pieceDigits, end));
    const bad = /[^A-Za-z0-9+/]/.exec(digits);
    if (bad !== null) {
      throw notBase64(
        `At position ${String(from + bad.index + 1)} stands what is no base64. Send only A-Z a-z 0-9 + / and the padding, without line breaks.`,
      );
    }
    length += bytes.write(digits, length, 'base64');
  }
  if (text.length % 4 !== 0) {
    throw notBase64('The length of base64 is a multiple of 4, filled up with "=". Send it with its padding.');
  }
  return bytes.subarray(0, length);
}

function notBase64(details: string): OperationError {
  return new OperationError('invalid_encoding', 'Content does not match specified encoding', { details });
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
