/** Cuts a text that is JSON already, without making a JavaScript string of it. */

const backslash = 0x5c;
const u = 0x75;
const n = 0x6e;

interface CutText {
  /** The beginning of the JSON string, without its closing quote. */
  readonly bytes: Uint8Array;
  /** How many whole lines it holds; 0: only part of the first line. */
  readonly lines: number;
  /** How many code points it holds. */
  readonly characters: number;
}

/**
 * The lines of a text that fit, or as much of the first line as fits if not even that does.
 * @param json a JSON string, in quotes, whose lines end with `\n`
 * @param room in characters (code points)
 * @returns null if all of it fits
 */
export function cutText(json: Uint8Array, room: number): CutText | null {
  // A character takes at least one byte.
  if (json.length - 2 <= room) return null;
  let characters = 0;
  let lines = 0;
  let lastLine = { end: 0, characters: 0 };
  let at = 1;
  for (; at < json.length - 1; characters++) {
    const length = lengthOfCharacter(json, at);
    if (json[at] === backslash && json[at + 1] === n) {
      lines++;
      lastLine = { end: at, characters };
    }
    if (characters === room) break;
    at += length;
  }
  if (at >= json.length - 1) return null;
  if (lines === 0) return { bytes: json.subarray(0, at), lines, characters };
  return { bytes: json.subarray(0, lastLine.end), lines, characters: lastLine.characters };
}

/** In bytes: of an escape, or of a character in UTF-8. */
function lengthOfCharacter(json: Uint8Array, at: number): number {
  const first = json[at] ?? 0;
  if (first === backslash) return json[at + 1] === u ? 6 : 2;
  if (first < 0xc0) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
