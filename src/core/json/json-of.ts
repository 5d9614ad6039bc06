/**
 * JSON strings that leave this process: answers and the log. Readers of lines that are more lenient than JSON,
 * node:readline of Node 24 among them, end a line at U+2028 and U+2029 too, so these are escaped (spec 15). Texts of
 * files become JSON as bytes, and are escaped there: workers/text.
 */

/** As JSON.stringify, safe to send. */
export function jsonOf(value: unknown): string {
  return withoutBreaks(JSON.stringify(value));
}

/** The same for people: a line for each member. */
export function indentedJsonOf(value: unknown): string {
  return withoutBreaks(JSON.stringify(value, null, 2));
}

/** The same JSON with U+2028 and U+2029 escaped; they can only be within its strings. */
export function withoutBreaks(json: string): string {
  // Most strings are Latin-1: the engine knows without a search that they contain neither.
  if (!json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`);
}
