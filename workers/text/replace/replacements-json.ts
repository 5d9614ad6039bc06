import type { Replaced } from './replacements.js';

/** Per line number in an answer, with its comma: no file of 100 MB has line numbers of more than nine digits. */
export const lineNumberBytes = 10;
/** As one string, all of them would take their memory once more. */
const linesAtOnce = 1_024;

/** How many bytes replacementsJson takes. Told before it is made, and before the new text is: it may have no room. */
export function replacementsBytes(replacements: readonly Replaced[]): number {
  let bytes = '[]'.length + Math.max(replacements.length - 1, 0);
  for (const { edit, count, lines } of replacements) {
    bytes += opening(edit, count).length + ']}'.length + Math.max(lines.length - 1, 0);
    for (const line of lines) bytes += digits(line);
  }
  return bytes;
}

/** What the edits did, as JSON in memory of its own: as values, 190,000 line numbers took both threads 10 MB. */
export function replacementsJson(replacements: readonly Replaced[]): Buffer {
  const json = Buffer.allocUnsafeSlow(replacementsBytes(replacements));
  let at = 0;
  const put = (text: string): void => {
    at += json.write(text, at, 'latin1');
  };
  put('[');
  for (const [index, { edit, count, lines }] of replacements.entries()) {
    put(`${index === 0 ? '' : ','}${opening(edit, count)}`);
    for (let start = 0; start < lines.length; start += linesAtOnce) {
      put(`${start === 0 ? '' : ','}${lines.subarray(start, start + linesAtOnce).join(',')}`);
    }
    put(']}');
  }
  put(']');
  return json;
}

function opening(edit: number, count: number): string {
  return `{"edit":${String(edit)},"count":${String(count)},"lines":[`;
}

/** Of a whole number from 1. A string of each would be garbage. */
function digits(number: number): number {
  let count = 1;
  for (let rest = number; rest >= 10; rest /= 10) count++;
  return count;
}
