/** In characters. */
const mostEchoed = 60;

/** A word that a client chose, as it may be sent back: short, well-formed, on one line. */
export function oneLine(word: string): string {
  const short = word.length > mostEchoed ? `${word.slice(0, mostEchoed)}…` : word;
  return short.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd');
}
