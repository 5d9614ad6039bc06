/** The Big List of Naughty Strings (github.com/minimaxir/big-list-of-naughty-strings, commit db33ec7, MIT: see the folder). */
import { readFileSync } from 'node:fs';

export function loadNaughtyStrings(): string[] {
  return JSON.parse(readFileSync(new URL('naughty-strings/blns.json', import.meta.url), 'utf8')) as string[];
}
