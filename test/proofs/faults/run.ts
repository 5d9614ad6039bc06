/**
 * `npm run prove -- faults`: the promises for writes, under faults. Without a count everything runs with its default
 * count; with one or more, only those run.
 *
 *   [--short]           the part that is run with every change
 *   [--points]          every kind of write, killed and failing at each of its system calls
 *   [--only="edit"]     of these the kinds of this name
 *   [--finishers=1]     whoever finishes changes of several files, killed and failing at each of its system calls, after
 *                       each (1) or one in so many of the calls at which the first process was killed
 *   [--states]          power cuts after each system call of every kind of write, with every part of what was not synced
 *                       lost; --only as above
 *   [--cuts=1000]       power cuts for each durability and mount
 *   [--kills=100]       kills at random moments
 *   [--terms=50]        SIGTERMs under load
 *   [--full-disk=1000]  edits on a full disk, and changes of several files at every amount of free space
 *   [--seed=1]          repeats random choices
 *
 * Needs strace, and root for power cuts and the full disk; what cannot be run is named and left out.
 */
import { parseArgs } from 'node:util';
import { table } from '../../../bench/report/table.js';
import { randomFrom } from '../../reliability/random.js';
import { cannotMount } from '../../reliability/small-disk.js';
import { allTogether } from './change-sets.js';
import { allFaults, commonFaults, finisherFaults } from './errnos.js';
import type { Figures } from './figures.js';
import { breakFinishers, finishersTable } from './finishers.js';
import { changeOnFullDisk } from './full-disk-changes.js';
import { editOnFullDisk } from './full-disk.js';
import { breakEveryKind, pointsTable } from './points-of-kinds.js';
import { cutPowerOfEachSort, cutsTable } from './power-cuts-of-sorts.js';
import { cannotCut } from './power-cuts.js';
import { killAtRandom } from './random-kills.js';
import { endUnderLoad } from './shutdowns.js';
import { all, cannotStage, loseAnything, some, statesTable } from './states/states-of-kinds.js';
import { cannotTrace } from './strace.js';

const options = {
  short: { type: 'boolean', default: false },
  points: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  finishers: { type: 'string' },
  states: { type: 'boolean', default: false },
  cuts: { type: 'string' },
  kills: { type: 'string' },
  terms: { type: 'string' },
  'full-disk': { type: 'string' },
  seed: { type: 'string' },
} as const;
const chosen = parseArgs({ options }).values;
const counts = [chosen.finishers, chosen.cuts, chosen.kills, chosen.terms, chosen['full-disk']];
const everything = !chosen.points && !chosen.states && counts.every((count) => count === undefined);
const seed = Number(chosen.seed ?? Math.floor(Math.random() * 2 ** 32)) >>> 0;
const random = randomFrom(seed);
console.log(`--seed=${seed}`);

/** Default count; 0 if only others were requested. */
const often = (asked: string | undefined, whole: number, short: number): number =>
  Number(asked ?? (everything ? (chosen.short ? short : whole) : 0));

if (everything || chosen.points) {
  await unless(cannotTrace(), 'kills and errors at each system call', async () => {
    const findings = await breakEveryKind(chosen.only, chosen.short ? commonFaults : allFaults, chosen.short);
    complain(findings.flatMap(({ violations }) => violations));
    console.log(pointsTable(findings));
  });
}
const finishers = often(chosen.finishers, 50, 100);
if (finishers > 0) {
  await unless(cannotTrace(), 'kills of those who finish changes', async () => {
    const { short } = chosen;
    const only = short && chosen.only === '' ? allTogether : chosen.only;
    const found = await breakFinishers(only, finishers, short ? [] : finisherFaults, short);
    complain(found.flatMap(({ findings }) => findings.violations));
    console.log(finishersTable(found));
  });
}
if (everything || chosen.states) {
  await unless(cannotTrace() || cannotStage(), 'power cuts after each system call', async () => {
    const results = await loseAnything(chosen.only, random, chosen.short ? some : all);
    complain(results.flatMap(({ violations }) => violations));
    console.log(statesTable(results));
  });
}
const cuts = often(chosen.cuts, 1000, 10);
if (cuts > 0) {
  await unless(cannotCut(), 'power cuts', async () => {
    const results = await cutPowerOfEachSort(cuts, random);
    complain(results.flatMap(({ violations }) => violations));
    console.log(cutsTable(results));
  });
}
const kills = often(chosen.kills, 100, 0);
if (kills > 0) show(await killAtRandom(kills, random));
const terms = often(chosen.terms, 50, 0);
if (terms > 0) show(await endUnderLoad(terms, random));
const edits = often(chosen['full-disk'], 1000, 0);
if (edits > 0) {
  await unless(cannotMount(), 'edits on a full disk', async () => {
    show(await editOnFullDisk(edits, random));
    show(await changeOnFullDisk());
  });
}

async function unless(reason: string | false, what: string, use: () => Promise<void>): Promise<void> {
  if (reason === false) await use();
  else console.log(`SKIPPED: ${what}: ${reason}`);
}

function complain(violations: readonly string[]): void {
  for (const violation of violations) console.log(violation.replaceAll('\n', ' ').slice(0, 700));
  if (violations.length > 0) process.exitCode = 1;
}

function show(figures: Figures): void {
  const names = Object.keys(figures);
  console.log(table(names, [names.map((name) => String(figures[name]))]));
}
