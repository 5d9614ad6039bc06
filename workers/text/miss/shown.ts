/**
 * Characters that a reader cannot see or cannot tell from others. JSON itself escapes control characters and lone
 * surrogates.
 */
const unseen =
  /[\u007f-\u00a0\u00ad\u0300-\u036f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0]/g;

/**
 * A text as it has to be written in JSON, with every character visible, shortened.
 * @param most how many UTF-16 units of the text are shown
 * @param around a place in it that must be among them
 */
export function shown(text: string, most: number, around = 0): string {
  // Some of what precedes the place, more of what follows it.
  const start = text.length <= most ? 0 : Math.max(0, Math.min(around - Math.floor(most / 4), text.length - most));
  const part = text.slice(start, start + most).toWellFormed();
  const quoted = JSON.stringify(part).replaceAll(unseen, escapeOf);
  const before = start > 0 ? '…' : '';
  const behind = start + most < text.length ? '…' : '';
  return `"${before}${quoted.slice(1, -1)}${behind}"`;
}

/** A text that is shown, with every character beyond ASCII as JSON escapes it. */
export function inAscii(text: string): string {
  return text.replaceAll(/[^\u0000-\u007f]/g, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
