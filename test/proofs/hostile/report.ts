/** One line of a proof: what was tried, and what came of it. */
export function say(what: string, result: string): void {
  console.log(`${what}: ${result}`);
}
