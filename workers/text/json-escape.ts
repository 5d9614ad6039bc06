/** Text is escaped in pieces of this many bytes, so that the strings in between stay small. */
const piece = 65_536;

/**
 * A JSON string, quotes included, as bytes: the same as JSON.stringify of the text, without making a JavaScript
 * string of the whole of it.
 *
 * Each byte is taken for a character (latin1): everything that JSON escapes is ASCII, and the bytes of longer
 * characters come through as they are. That way 1 MB takes 2 ms; decoding it first takes 2.7, a loop over the bytes 3.5.
 * @param text valid UTF-8
 * @returns the start of memory of its own, so that it can be handed to another thread
 */
export function jsonString(text: Buffer): Buffer {
  // Room for an escape in every eighth byte; a text with more of them makes it grow.
  let json: Buffer = Buffer.allocUnsafeSlow(text.length > piece ? text.length + (text.length >> 3) : 0);
  let length = 0;
  for (let start = 0; start === 0 || start < text.length; start += piece) {
    let escaped = JSON.stringify(text.toString('latin1', start, start + piece));
    if (start > 0) {
      // The quote that ended the piece before gives way to this one, which begins without.
      escaped = escaped.slice(1);
      length -= 1;
    }
    if (length + escaped.length > json.length) {
      json = enlarged(json, length, length + escaped.length + 2 * Math.max(text.length - start - piece, 0));
    }
    length += json.write(escaped, length, 'latin1');
  }
  return json.subarray(0, length);
}

function enlarged(json: Buffer, used: number, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  json.copy(larger, 0, 0, used);
  return larger;
}
