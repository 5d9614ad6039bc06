import type { Results } from '../../../src/operations.js';
import type { AscendingNumbers } from '../search/ascending-numbers.js';
import type { Replaced } from './replacements.js';

/** Per line number in an answer, with its comma: no file of 100 MB has line numbers of more than nine digits. */
export const lineNumberBytes = 10;
const comma = 0x2c;
const zero = 0x30;

/** How many bytes replacementsJson takes. Told before it is made, and before the new text is: it may have no room. */
export function replacementsBytes(replacements: readonly Replaced[]): number {
  let bytes = '[]'.length + Math.max(replacements.length - 1, 0);
  for (const { edit, count, lines } of replacements) {
    bytes += opening(edit, count).length + ']}'.length + Math.max(lines.length - 1, 0);
    lines.forEach((line) => {
      bytes += digits(line);
    });
  }
  return bytes;
}

/** What the edits did, as it is in a result. */
export function replacementValues(replacements: readonly Replaced[]): Results['apply_edits']['replacements'] {
  return replacements.map(({ edit, count, lines }) => ({ edit, count, lines: lines.toArray() }));
}

/** The same as JSON in memory of its own: as values, 190,000 line numbers took both threads 10 MB. */
export function replacementsJson(replacements: readonly Replaced[]): Buffer {
  const json = Buffer.allocUnsafeSlow(replacementsBytes(replacements));
  let at = 0;
  const put = (text: string): void => {
    at += json.write(text, at, 'latin1');
  };
  put('[');
  for (const [index, { edit, count, lines }] of replacements.entries()) {
    put(`${index === 0 ? '' : ','}${opening(edit, count)}`);
    at = putNumbers(lines, json, at);
    put(']}');
  }
  put(']');
  return json;
}

/**
 * Once the line numbers are of no more use; none is left. Those of a call that runs again for want of room would still be
 * there the second time.
 */
export function freeLines(replacements: readonly Replaced[]): void {
  for (const { lines } of replacements) lines.free();
}

/** @returns where in `json` they end. As strings, they would be 5 MB of garbage for 190,000. */
function putNumbers(numbers: AscendingNumbers, json: Buffer, start: number): number {
  let at = start;
  numbers.forEach((number) => {
    if (at > start) json[at++] = comma;
    at += digits(number);
    for (let place = at - 1, rest = number; rest > 0; place--) {
      json[place] = zero + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  });
  return at;
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
