/**
 * JSON for answers and the log. Line readers that are more lenient than JSON, such as node:readline of Node 24, also
 * end a line at U+2028 and U+2029, so both are escaped (spec 15). Texts of files are encoded as bytes and escaped
 * there: workers/text.
 */

/** JSON.stringify with U+2028 and U+2029 escaped. */
export function jsonOf(value: unknown): string {
  return withoutBreaks(JSON.stringify(value));
}

/** The same for people: a line for each member. */
export function indentedJsonOf(value: unknown): string {
  return withoutBreaks(JSON.stringify(value, null, 2));
}

/** The same JSON with U+2028 and U+2029 escaped; they can only be within its strings. */
export function withoutBreaks(json: string): string {
  // Most strings are Latin-1: the engine rules both out without a search.
  if (!json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`);
}

/** The JSON bytes of a result member, in one piece or several; none if it is a value. */
export function jsonPieces(member: unknown): readonly Uint8Array[] {
  if (member instanceof Uint8Array) return [member];
  return Array.isArray(member) && member[0] instanceof Uint8Array
    ? member.filter((piece) => piece instanceof Uint8Array)
    : [];
}
