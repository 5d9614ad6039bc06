/** Truncates a JSON-encoded text without decoding it to a JavaScript string. */

const backslash = 0x5c;
const u = 0x75;
const n = 0x6e;
const r = 0x72;

/** Available space. */
interface Room {
  /** Code points. */
  readonly characters: number;
  /** JSON bytes without the quotes. */
  readonly bytes: number;
}

interface CutText {
  /** The beginning of the JSON string, without its closing quote. */
  readonly bytes: Uint8Array;
  /** Number of whole lines; 0: only part of the first line. */
  readonly lines: number;
  /** Number of code points. */
  readonly characters: number;
}

/**
 * The lines of a text that fit, or the part of the first line that fits.
 * @param json a JSON string, in quotes
 * @param exact whether each line keeps its separator, `\n`, `\r\n` or `\r`; otherwise the last separator is dropped
 * @returns null if everything fits
 */
export function cutText(json: Uint8Array, room: Room, exact: boolean): CutText | null {
  const length = json.length - 2;
  // A character takes at least one byte.
  if (length <= room.characters && length <= room.bytes) return null;
  const end = json.length - 1;
  let characters = 0;
  let lines = 0;
  let lastLine = { end: 0, characters: 0 };
  let at = 1;
  while (at < end) {
    const next = at + lengthOfCharacter(json, at);
    const endsLine = isLineEnd(json, at);
    if (endsLine && !exact) lastLine = { end: at, characters };
    if (endsLine && !exact) lines++;
    if (characters === room.characters || next - 1 > room.bytes) break;
    at = next;
    characters++;
    if (endsLine && exact) lastLine = { end: at, characters };
    if (endsLine && exact) lines++;
  }
  if (at >= end) return null;
  if (lines === 0) return { bytes: json.subarray(0, at), lines, characters };
  return { bytes: json.subarray(0, lastLine.end), lines, characters: lastLine.characters };
}

/** Length in bytes of an escape, or of a character in UTF-8. */
function lengthOfCharacter(json: Uint8Array, at: number): number {
  const first = json[at] ?? 0;
  if (first === backslash) return json[at + 1] === u ? 6 : 2;
  if (first < 0xc0) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

function isLineEnd(json: Uint8Array, at: number): boolean {
  if (json[at] !== backslash) return false;
  const letter = json[at + 1];
  return letter === n || (letter === r && !(json[at + 2] === backslash && json[at + 3] === n));
}
