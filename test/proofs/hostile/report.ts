/** One line of a proof: what was tried, and the result. */
export function say(what: string, result: string): void {
  console.log(`${what}: ${result}`);
}
