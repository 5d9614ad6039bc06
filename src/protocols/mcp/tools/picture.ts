import type { Success } from '../../../core/errors.js';
import { counted } from './searched.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { wholeResult } from './storage.js';
import type { Presented } from './tool.js';
import { contentOf } from './viewed-text.js';

/** In bytes of the file: clients do not show a model larger ones. */
const mostBytes = 3_500_000;

/** The first bytes of each kind of file; a dot stands for any byte. */
const beginnings: readonly (readonly [mimeType: string, bytes: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];

/** Base64 digits to decode: enough for all beginnings. */
const mostDigits = 16;

/**
 * A viewed file as a picture (spec 17); undefined if it is not one that models are shown.
 * @param success of bytes that are not text
 */
export function asPicture(success: Success): Presented | undefined {
  const size = Number(success.result['size']);
  const data = contentOf(success);
  const digits = Buffer.from(data.subarray(1, 1 + mostDigits)).toString('latin1');
  const first = Buffer.from(digits, 'base64').toString('latin1');
  const [mimeType] = beginnings.find(([, bytes]) => bytes.test(first)) ?? [];
  if (mimeType === undefined || size > mostBytes) return undefined;
  const words = jsonOf(`${mimeType}, ${counted(size, 'byte', 'bytes')}`);
  return {
    ...wholeResult([words], { ...success, result: { ...success.result, content: undefined } }),
    image: { mimeType, data },
  };
}
