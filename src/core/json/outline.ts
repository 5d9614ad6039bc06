/**
 * What a body that holds too much begins with: its first levels, with `{}` or `[]` in place of each container below
 * them. So a front knows the id and the method of such a request, and which tool was called.
 */

const openObject = 0x7b;

/**
 * The value of an outline; undefined if it is not JSON.
 * @param cuts where what is left out starts and ends, alternately
 */
export function outline(bytes: Buffer, cuts: readonly number[]): unknown {
  let text = '';
  for (let index = 0; index <= cuts.length; index += 2) {
    const from = cuts[index - 1];
    const to = cuts[index];
    text += bytes.toString('utf8', from ?? 0, to ?? bytes.length);
    if (to !== undefined) text += bytes[to] === openObject ? '{}' : '[]';
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
