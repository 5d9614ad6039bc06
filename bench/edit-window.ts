/** How long an edit can still overwrite another program's write: from the last stat of the file to the rename. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './bench.js';
import { withRenameClock } from './programs/programs.js';
import type { Span } from './programs/rename-clock.js';
import { figure, table } from './report/table.js';
import { median, percentile } from './statistics.js';
import { httpLoad } from './subjects/http-load.js';
import { workloads, type Workload } from './workloads.js';

/** A single client with the machine to itself, and more clients than processors. */
const loads = [workloads.appendAlone, workloads.edit1MB];

/**
 * @returns a table of these windows under each load: the whole window, and the part outside the stat and rename calls
 */
export async function editWindowTable(bench: Bench): Promise<string> {
  const rows: string[][] = [];
  for (const workload of loads) {
    const spans = await observe(bench, workload);
    const outer = spans.map((span) => span.outer * 1000);
    const inner = spans.map((span) => span.inner * 1000);
    const figures = [median(outer), percentile(outer, 0.99), percentile(outer, 1), median(inner)];
    rows.push([workload.name, figure(spans.length), ...figures.map((us) => figure(us, 'µs'))]);
  }
  const headings = ['edits', 'p50', 'p99', 'longest', 'between the calls, p50'];
  return table(['last stat of the file until it is replaced', ...headings], rows);
}

/** Every edit of a load as recorded by the clock inside this server, without the warm-up. */
async function observe(bench: Bench, workload: Workload): Promise<Span[]> {
  const folder = mkdtempSync(join(tmpdir(), 'file-editor-clock-'));
  const file = join(folder, 'samples');
  try {
    await httpLoad(withRenameClock(file), workload).observe(bench);
    const spans = read(file).slice(workload.warmUp);
    if (spans.length === 0) throw new Error(`${workload.name}: no rename followed a stat of the same path`);
    return spans;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(file: string): Span[] {
  const bytes = readFileSync(file);
  const pair = 2 * Float64Array.BYTES_PER_ELEMENT;
  return Array.from({ length: Math.floor(bytes.length / pair) }, (_, index) => ({
    outer: bytes.readDoubleLE(index * pair),
    inner: bytes.readDoubleLE(index * pair + pair / 2),
  }));
}
