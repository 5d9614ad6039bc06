import type { Replaced } from './replacements.js';

/** Per line number in an answer, with its comma: no file of 100 MB has line numbers of more than nine digits. */
export const lineNumberBytes = 10;
/** For the rest of an edit, and of the list. */
const mostAround = 64;
/** As one string, all of them would take their memory once more. */
const linesAtOnce = 1_024;

/** What the edits did, as JSON in memory of its own: as values, 190,000 line numbers took both threads 10 MB. */
export function replacementsJson(replacements: readonly Replaced[]): Buffer {
  const most = replacements.reduce((sum, { lines }) => sum + mostAround + lines.length * lineNumberBytes, mostAround);
  // Memory that is never written is never touched, and so takes none.
  const json = Buffer.allocUnsafeSlow(most);
  let at = 0;
  const put = (text: string): void => {
    at += json.write(text, at, 'latin1');
  };
  for (const [index, { edit, count, lines }] of replacements.entries()) {
    put(`${index === 0 ? '[' : ','}{"edit":${edit},"count":${count},"lines":[`);
    for (let start = 0; start < lines.length; start += linesAtOnce) {
      put(`${start === 0 ? '' : ','}${lines.subarray(start, start + linesAtOnce).join(',')}`);
    }
    put(']}');
  }
  put(']');
  return json.subarray(0, at);
}
