/** Bytes that an escape adds to a byte of a JSON string; what stands in it otherwise, valid UTF-8, stays as it is. */
const added = new Uint8Array(256);
/** The second character of the short escapes. */
const short = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) added[byte] = 5;
for (const [plain, letter] of [
  ['"', '"'],
  ['\\', '\\'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\f', 'f'],
  ['\r', 'r'],
] as const) {
  added[plain.charCodeAt(0)] = 1;
  short[plain.charCodeAt(0)] = letter.charCodeAt(0);
}
const backslash = 0x5c;

/** How long a text is as the inside of a JSON string, in bytes. */
export function exactLength(text: Buffer): number {
  let length = text.length;
  for (const byte of text) length += added[byte] ?? 0;
  return length;
}

/**
 * Write a text as the inside of a JSON string, every byte of it: the kernel's escapes (kernel.ts) make one separator of
 * all, which is right where lines are read and wrong where a file is.
 * @returns where it ends in `target`
 */
export function writeExact(text: Buffer, target: Buffer, start: number): number {
  let at = start;
  for (const byte of text) {
    if (added[byte] === 0) {
      target[at++] = byte;
      continue;
    }
    const letter = short[byte] ?? 0;
    if (letter === 0) {
      at += target.write(`\\u00${byte.toString(16).padStart(2, '0')}`, at, 'latin1');
      continue;
    }
    target[at++] = backslash;
    target[at++] = letter;
  }
  return at;
}
