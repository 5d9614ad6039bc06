/**
 * `npm run bench`: this server beside servers written by hand, all in one run. Each measurement has fresh processes, the
 * order is reversed in each round and what is printed are medians, so that neither a warm processor nor a slow minute of
 * the machine favours one of them.
 *
 *   tsx bench/run.ts [--json] [--only="part of a name"]
 *
 * --json prints the figures as JSON on stdout; the tables are then on stderr.
 */
import { parseArgs } from 'node:util';
import { Directories } from './directory.js';
import { Load } from './load.js';
import { loadAverage, machine } from './machine.js';
import { answerBytes, measure, type Bench, type Measurement } from './measure.js';
import { idleMemoryMb, shutdownMs, startTimes } from './process-costs.js';
import { constant, handWritten, hasUws, minimal, preparePrograms, server, serverOnNode } from './programs.js';
import type { Program } from './programs.js';
import { median, threeDigits } from './statistics.js';
import { figure, table } from './table.js';
import { workloads, type Workload } from './workloads.js';

const rounds = 3;
const startRounds = 11;
const { values } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string', default: '' } } });
const out = values.json === true ? process.stderr : process.stdout;

type Figures = Readonly<Record<string, number | undefined>>;
type Results = Record<string, Record<string, Figures>>;

await preparePrograms();
const uws = await hasUws();
if (!uws) out.write('No uWebSockets.js for this platform: this server runs on node:http.\n');
out.write(`${machine()}; load average ${loadAverage().toFixed(2)}\n`);

const bench: Bench = { load: new Load(), directories: new Directories(), measureMs: 500 };
const results: Results = {};
const chosen = [...workloads.values()].filter(
  ({ name, budgetOnly }) => budgetOnly !== true && name.includes(values.only),
);
try {
  for (const workload of chosen) {
    const figures = await compare(workload);
    results[workload.name] = figures;
    out.write(`\n${loadTable(workload, figures)}\n`);
  }
  if ('start'.includes(values.only)) {
    results['process'] = await processCosts();
    out.write(`\n${processTable(results['process'])}\n`);
  }
} finally {
  bench.load.close();
  bench.directories.remove();
}
if (values.json === true) {
  const about = { machine: machine(), date: new Date().toISOString(), loadAverage: loadAverage() };
  process.stdout.write(`${JSON.stringify({ ...about, results }, null, 2)}\n`);
}

/** A constant answer is no yardstick for a write, which must wait for the disk. */
function programsFor(workload: Workload): readonly Program[] {
  return [...(uws ? [server] : []), serverOnNode, handWritten, ...(uws && !workload.writes ? [constant] : [])];
}

async function compare(workload: Workload): Promise<Record<string, Figures>> {
  const programs = programsFor(workload);
  const size = programs.includes(constant) ? await answerBytes(bench, workload) : 0;
  const measured = new Map(programs.map((program): [Program, Measurement[]] => [program, []]));
  for (let round = 0; round < rounds; round++) {
    for (const program of round % 2 === 0 ? programs : programs.toReversed()) {
      measured.get(program)?.push(await measure(bench, workload, program, size));
    }
  }
  return Object.fromEntries([...measured].map(([{ name }, each]) => [name, medians(each)]));
}

function medians(measurements: readonly Measurement[]): Figures {
  const of = (member: keyof Measurement): number | undefined => {
    const known = measurements.map((each) => each[member]).filter((value) => value !== undefined);
    return known.length === measurements.length ? threeDigits(median(known)) : undefined;
  };
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    serverMsPerRequest: of('serverMsPerRequest'),
    clientBusy: of('clientBusy'),
    acknowledged: of('acknowledged'),
    lost: of('lost'),
  };
}

function loadTable({ name, clients, appends }: Workload, programs: Readonly<Record<string, Figures>>): string {
  const yardstick = programs[handWritten.name]?.['requestsPerSecond'] ?? NaN;
  const rows = Object.entries(programs).map(([program, figures]) => [
    program,
    figure(figures['requestsPerSecond']),
    figure((figures['requestsPerSecond'] ?? NaN) / yardstick, '×'),
    figure(figures['p50Ms'], 'ms'),
    figure(figures['p99Ms'], 'ms'),
    figure((figures['serverMsPerRequest'] ?? NaN) * 1000, 'µs'),
    figure((figures['clientBusy'] ?? NaN) * 100, '%'),
    ...(appends === true ? [`${String(figures['lost'])} of ${String(figures['acknowledged'])}`] : []),
  ]);
  const headings = ['requests/s', 'rate', 'p50', 'p99', 'server CPU/request', 'client busy'];
  const title = `${name} (${String(clients)} ${clients === 1 ? 'client' : 'clients'})`;
  const bound = Object.values(programs).some(({ clientBusy = 0 }) => clientBusy > 0.9);
  const note = 'A client that is busy for more than 90 % limits the rate: compare the CPU per request there.';
  const text = table([title, ...headings, ...(appends === true ? ['lost'] : [])], rows);
  return bound ? `${text}\n${note}` : text;
}

async function processCosts(): Promise<Record<string, Figures>> {
  const servers = uws ? [server, serverOnNode] : [serverOnNode];
  const programs = [...servers, minimal];
  const [bareMs, ...starts] = await startTimes(bench.directories, programs, startRounds);
  const memory = await idleMemoryMb(bench.directories, programs, 5);
  const costs: Record<string, Figures> = { 'node -e 0': { startMs: threeDigits(bareMs ?? NaN) } };
  for (const [index, program] of programs.entries()) {
    const aboveMb = memory[index];
    costs[program.name] = {
      startMs: threeDigits(starts[index] ?? NaN),
      shutdownMs: program === minimal ? undefined : threeDigits(await shutdownMs(bench.directories, program, rounds)),
      memoryAboveBareNodeMb: aboveMb === undefined ? undefined : threeDigits(aboveMb),
    };
  }
  return costs;
}

function processTable(programs: Readonly<Record<string, Figures>>): string {
  const rows = Object.entries(programs).map(([program, figures]) => [
    program,
    figure(figures['startMs'], 'ms'),
    figure(figures['shutdownMs'], 'ms'),
    figure(figures['memoryAboveBareNodeMb'], 'MB'),
  ]);
  return table(['process', 'start', 'shutdown, busy', 'idle memory above bare Node'], rows);
}
