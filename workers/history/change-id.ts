/**
 * The ids of changes (spec 18). An id is the position of its line in the log, so whichever server writes a later line
 * gives it a greater id, and no id is used twice. The first character counts the digits: then ids compare like their
 * positions.
 */
const firstCount = 'a'.charCodeAt(0);
const digitsPattern = /^(?:0|[1-9a-z][0-9a-z]*)$/;

/** @param position in bytes from the beginning of the log */
export function idAt(position: number): string {
  const digits = position.toString(36);
  return String.fromCharCode(firstCount + digits.length - 1) + digits;
}

/** A longer text is no id. */
const longest = 20;

/** What a caller sent as an id, for a message. */
export function shownId(id: string): string {
  return id.length > longest ? `${id.slice(0, longest)}…` : id;
}

/** @returns undefined for a text that is no id */
export function positionOf(id: string): number | undefined {
  if (id.length > longest) return undefined;
  const digits = id.slice(1);
  const position = digitsPattern.test(digits) ? parseInt(digits, 36) : NaN;
  return Number.isSafeInteger(position) && idAt(position) === id ? position : undefined;
}
