/**
 * The requests of Http11Probe (github.com/MDA2AV/Http11Probe, commit 95bc6a9, MIT: see the folder), 209 of its 215
 * cases: the others compare entity tags of static files. The accepted answers are in the author's words.
 */
import { readFileSync } from 'node:fs';

interface Run {
  /** `#` is replaced by the number of the repetition. */
  readonly each: string;
  readonly times: number;
}

interface Data {
  readonly id: string;
  readonly accepts: string;
  readonly verdict: 'refused' | 'served' | 'either';
  readonly steps: readonly (readonly (readonly (string | Run)[])[])[];
}

export interface ProbeCase {
  readonly id: string;
  /** The answers that the author accepts. */
  readonly accepts: string;
  /** Whether any accepted answer is 2xx, and whether all are. */
  readonly verdict: Data['verdict'];
  /** Requests of one connection in order, in parts that arrive separately; a character is a byte. */
  readonly steps: readonly (readonly string[])[];
}

export function loadProbe(): ProbeCase[] {
  const data = JSON.parse(readFileSync(new URL('http11probe/cases.json', import.meta.url), 'utf8')) as Data[];
  return data.map((each) => ({ ...each, steps: each.steps.map((parts) => parts.map(expand)) }));
}

function expand(pieces: readonly (string | Run)[]): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      return Array.from({ length: piece.times }, (_, index) => piece.each.replaceAll('#', String(index))).join('');
    })
    .join('');
}
