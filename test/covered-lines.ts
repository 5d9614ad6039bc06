import { fileURLToPath } from 'node:url';
import { decode } from '@jridgewell/sourcemap-codec';

/** What V8 counted in one script: a later, inner range overrules the one around it. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

/** Where each piece of the script came from, as node keeps it. */
export interface ScriptSources {
  readonly lineLengths: readonly number[];
  readonly data: { readonly sources: readonly string[]; readonly mappings: string } | null;
}

/** By file, each line that holds code, and whether any of it ran. */
export type CoveredLines = Map<string, Map<number, boolean>>;

/**
 * Add one run of a script to what is known. Computed here, since the reports at hand count lines of methods that
 * never ran as covered: c8 where a file was translated to one line, others behind `<instance_members_initializer>`,
 * a function that V8 reports as wide as its class.
 */
export function addCoverage(known: CoveredLines, script: ScriptCoverage, { lineLengths, data }: ScriptSources): void {
  if (data === null) return;
  const counts = countsOf(
    script,
    lineLengths.reduce((sum, length) => sum + length + 1, 0),
  );
  const files = data.sources.map((source) => {
    const url = new URL(source, script.url);
    if (url.protocol !== 'file:') return undefined;
    const path = fileURLToPath(url);
    const lines = known.get(path) ?? new Map<number, boolean>();
    known.set(path, lines);
    return lines;
  });
  let lineStart = 0;
  for (const [line, segments] of decode(data.mappings).entries()) {
    for (const [column, source, sourceLine] of segments) {
      if (source === undefined || sourceLine === undefined) continue;
      const ran = (counts[lineStart + column] ?? 0) > 0;
      const lines = files[source];
      lines?.set(sourceLine + 1, lines.get(sourceLine + 1) === true || ran);
    }
    lineStart += (lineLengths[line] ?? 0) + 1;
  }
}

/** How often the code at each offset ran, cut to 1. */
function countsOf(script: ScriptCoverage, length: number): Uint8Array {
  const counts = new Uint8Array(length);
  const ranges = script.functions
    .filter(({ functionName }) => functionName !== '<instance_members_initializer>')
    .flatMap(({ ranges }) => ranges)
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges) counts.fill(Math.min(count, 1), startOffset, endOffset);
  return counts;
}
