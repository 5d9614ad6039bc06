/** The gain of a second server process on the same port (`--reuse-port`), on a machine with few processors. */
import type { Bench } from './bench.js';
import { comparison, figure, resultOf, timesAsMany, type Figure } from './figures.js';
import { Observations } from './observations.js';
import { server } from './programs/programs.js';
import { figure as shown, table } from './report/table.js';
import { httpLoad } from './subjects/http-load.js';
import { takeTurns } from './turns.js';
import { workloads, type Workload } from './workloads.js';

const rounds = 5;
/** The system spreads connections at random: with only a few, one process would get most of them. */
const clients = 32;

/** One process against two. @returns a table */
export async function processesTable(bench: Bench, onProgress: (what: string) => void): Promise<string> {
  const figures = [
    scaling('1 KB reads', workloads.read1KB),
    scaling('1 KB reads, not cached', workloads.read1KB, '--cache-mb=0'),
    scaling('1 KB edits of 64 files', workloads.edit64Files),
    scaling('appends to one file', workloads.appendOneFile),
  ];
  const rows: string[][] = [];
  for (const each of figures) {
    const observations = new Observations();
    onProgress(each.name);
    await takeTurns(comparison(each.name, rounds, [each]), async (subject) => {
      observations.add(subject, await subject.observe(bench));
    });
    const one = each.baseline === undefined ? undefined : observations.medians(each.baseline);
    const two = observations.medians(each.own);
    const ratio = resultOf(each, observations.medians);
    rows.push([
      each.name,
      shown(one?.rate, '/s'),
      shown(two?.rate, '/s'),
      shown(ratio, '×'),
      shown(two?.client, 'CPU'),
    ]);
  }
  return table([`${String(clients)} clients`, 'one process', 'two', 'ratio', 'taken by the clients'], rows);
}

function scaling(name: string, workload: Workload, ...flags: readonly string[]): Figure {
  const program = server('--reuse-port', ...flags);
  const one = httpLoad(program, { ...workload, clients });
  const two = httpLoad(program, { ...workload, clients, servers: 2, onePort: true });
  return figure(name, two, 'rate', timesAsMany, one);
}
