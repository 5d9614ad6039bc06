import { fileURLToPath } from 'node:url';
import { decode } from '@jridgewell/sourcemap-codec';

/** The counts of V8 for one script: later, inner ranges override the ones around them. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

/** The source of each piece of the script, in the form node stores. */
export interface ScriptSources {
  readonly lineLengths: readonly number[];
  readonly data: { readonly sources: readonly string[]; readonly mappings: string } | null;
}

/** Each line of code by file, and whether any of it ran. */
export type CoveredLines = Map<string, Map<number, boolean>>;

/** All runs of one script: for each offset, whether any run reached it. */
interface Runs {
  readonly url: string;
  readonly sources: ScriptSources;
  readonly ran: Uint8Array;
}

/**
 * Merges the coverage of scripts that ran in many processes. Done here because the usual reports count lines of methods
 * that never ran as covered: c8 if a file was translated to a single line, others after
 * `<instance_members_initializer>`, a function to which V8 gives the range of its class.
 */
export class Coverage {
  private readonly scripts = new Map<string, Runs>();

  /** Add one run of a script. `lines` alone reads the source map: a program may run a hundred times in a suite. */
  add(script: ScriptCoverage, sources: ScriptSources): void {
    if (sources.data === null) return;
    const length = sources.lineLengths.reduce((sum, length) => sum + length + 1, 0);
    const key = JSON.stringify([script.url, sources.data.mappings]);
    const runs = this.scripts.get(key) ?? { url: script.url, sources, ran: new Uint8Array(length) };
    this.scripts.set(key, runs);
    const counts = countsOf(script, length);
    for (let offset = 0; offset < length; offset++) if (counts[offset] === 1) runs.ran[offset] = 1;
  }

  lines(): CoveredLines {
    const known: CoveredLines = new Map();
    for (const runs of this.scripts.values()) addLines(known, runs);
    return known;
  }
}

function addLines(known: CoveredLines, { url, sources: { lineLengths, data }, ran }: Runs): void {
  if (data === null) return;
  const files = data.sources.map((source) => {
    const file = new URL(source, url);
    if (file.protocol !== 'file:') return undefined;
    const path = fileURLToPath(file);
    const lines = known.get(path) ?? new Map<number, boolean>();
    known.set(path, lines);
    return lines;
  });
  let lineStart = 0;
  for (const [line, segments] of decode(data.mappings).entries()) {
    for (const [column, source, sourceLine] of segments) {
      if (source === undefined || sourceLine === undefined) continue;
      const lines = files[source];
      lines?.set(sourceLine + 1, lines.get(sourceLine + 1) === true || ran[lineStart + column] === 1);
    }
    lineStart += (lineLengths[line] ?? 0) + 1;
  }
}

/** The run count at each offset, capped at 1. */
function countsOf(script: ScriptCoverage, length: number): Uint8Array {
  const counts = new Uint8Array(length);
  const ranges = script.functions
    .filter(({ functionName }) => functionName !== '<instance_members_initializer>')
    .flatMap(({ ranges }) => ranges)
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges) counts.fill(Math.min(count, 1), startOffset, endOffset);
  return counts;
}
