/**
 * Whoever finishes the changes of a killed process may be killed too. Kills the start of a server and the first write
 * of another at each of their system calls, and lets the next one finish.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { table } from '../../../bench/report/table.js';
import { Tasks } from '../../../workers/tasks.js';
import { withDirectory } from '../../directory.js';
import { setupOf } from '../../workspace.js';
import { copyAbandoned, isAbandoned } from './abandoned.js';
import { spare, strike } from './attempts.js';
import { changeSets } from './change-sets.js';
import type { Fault } from './errnos.js';
import { Findings } from './findings.js';
import { Lane } from './lane.js';
import { pointsIn, pointsOf, roleOf, type Point } from './points.js';
import { traceProgram, type Injection, type SystemCall } from './strace.js';
import { treeOf } from './tree.js';
import type { WriteKind } from './write-kinds.js';

const program = fileURLToPath(new URL('finisher.mjs', import.meta.url));
const finishers = ['start', 'writer'] as const;
type Finisher = (typeof finishers)[number];

/** A killed call's leftovers, in a directory of their own. */
interface Left {
  readonly directory: string;
  readonly at: string;
  /** The call at whose entry its process was killed. */
  readonly role: string;
}

interface Found {
  readonly findings: Findings;
  readonly states: number;
}

/**
 * @param only the kinds whose name holds this
 * @param each take one in so many of the calls after the decision at which the first process is killed
 * @param faults of the finisher's calls, beside kills
 * @param short only the start of a server
 */
export async function breakFinishers(
  only: string,
  each: number,
  faults: readonly Fault[],
  short: boolean,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const kind of changeSets.filter(({ name }) => name.includes(only))) {
    await withDirectory({}, async (store) => {
      const findings = new Findings(kind.name);
      const left = await abandon(kind, store, each, findings);
      for (const state of left) {
        for (const finisher of short ? finishers.slice(0, 1) : finishers)
          await breakOne(kind, state, finisher, faults, findings);
        process.stderr.write(`${kind.name}, left at ${state.role}: ${findings.row.join(', ')}\n`);
      }
      found.push({ findings, states: left.length });
    });
  }
  return found;
}

/** Kill a server at calls after the decision, and keep what it leaves. */
async function abandon(kind: WriteKind, store: string, each: number, findings: Findings): Promise<readonly Left[]> {
  const left: Left[] = [];
  await withDirectory({}, async (directory) => {
    const lane = new Lane(kind, directory, 'stdio');
    try {
      const points = await pointsOf(lane);
      const decided = points.findIndex(({ role }) => /^link .*\/changes$/.test(role)) + 1;
      const chosen = points.slice(decided).filter((_, index) => index % each === 0);
      const places = await lane.prepare(chosen.length + spare);
      for (const point of chosen) {
        await findings.of(`${kind.name}, killed at ${point.role} (${String(point.nth)})`, async () => {
          const fault = { effect: 'signal=SIGKILL', forEver: false };
          const struck = await strike(lane, point, fault, places, ({ killed, calls }) =>
            killed ? calls.at(-1) : undefined,
          );
          if (isAbandoned(directory)) {
            const own = mkdtempSync(join(store, 'left-'));
            copyAbandoned(directory, own, struck.place);
            left.push({ directory: own, at: struck.place, role: point.role });
          }
          await lane.ready();
        });
      }
    } finally {
      await lane.end();
    }
  });
  return left;
}

async function breakOne(
  kind: WriteKind,
  left: Left,
  finisher: Finisher,
  faults: readonly Fault[],
  findings: Findings,
): Promise<void> {
  const points = await pointsOfFinisher(left, finisher);
  findings.points(points.length);
  for (const point of points) {
    for (const fault of [kill, ...faults]) {
      if (fault.calls?.test(point.name) === false) continue;
      const what = `${kind.name}, left at ${left.role}, ${finisher}, ${fault.name} at ${point.role} (${String(point.nth)})`;
      await findings.of(what, async () => {
        await strikeFinisher(left, finisher, point, fault, (directory) => {
          finishHere(directory);
          assert.deepEqual(treeOf(directory, left.at), kind.after(left.at, [true]));
          const reserved = readdirSync(join(directory, '.file-editor')).filter((each) => !/\.lock$|^\.git/.test(each));
          assert.deepEqual(reserved, []);
        });
        if (fault === kill) findings.kill();
        else findings.error();
      });
    }
  }
}

const kill: Fault = { name: 'SIGKILL', effect: 'signal=SIGKILL', forEver: false };
/** The start of Node makes a few more calls, or fewer, such as writes to wake its threads: then look around. */
const around = [0, 0, -1, 1, -2, 2, -3, 3, -4, 4];

/** Two runs must agree, as in points.ts. */
async function pointsOfFinisher(left: Left, finisher: Finisher): Promise<readonly Point[]> {
  let before = '';
  for (let tries = 0; tries < 5; tries++) {
    const points = pointsIn(await finish(left, finisher), left.at);
    const seen = points.map(({ role }) => role).join('\n');
    if (seen === before) return points;
    before = seen;
  }
  throw new Error(`no two runs of ${finisher} in a row make the same system calls`);
}

/** @param check called with the directory that the finisher has left */
async function strikeFinisher(
  left: Left,
  finisher: Finisher,
  { name, nth, role }: Point,
  fault: Fault,
  check: (directory: string) => void,
): Promise<void> {
  const { effect, forEver } = fault;
  const seen: string[] = [];
  for (const offset of around) {
    const calls = await finish(left, finisher, { name, nth: Math.max(1, nth + offset), effect, forEver }, check);
    const hit = fault === kill ? calls.at(-1) : calls.find(({ injected }) => injected);
    seen.push(hit === undefined ? 'no call' : roleOf(hit, left.at));
    if (seen.at(-1) === role) return;
  }
  throw new Error(`the fault came at ${seen.join(', ')}`);
}

/** Let a finisher work on a copy of what was left. @param check called afterwards with the copy */
async function finish(
  { directory, at }: Left,
  finisher: Finisher,
  injection?: Injection,
  check?: (directory: string) => void,
): Promise<readonly SystemCall[]> {
  // The same name each time, since it shows in the roles of calls.
  const copy = join(directory, '..', 'copy');
  try {
    copyAbandoned(directory, copy, at);
    const calls = await lend(copy, finisher, injection);
    check?.(copy);
    return calls;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function finishHere(directory: string): void {
  const tasks = new Tasks(setupOf(directory));
  try {
    const [swept] = tasks.sweep();
    assert.equal(swept?.ok, true);
  } finally {
    tasks.close();
  }
}

function lend(directory: string, finisher: Finisher, injection?: Injection): Promise<readonly SystemCall[]> {
  return traceProgram([process.execPath, program, finisher, directory], injection);
}

export function finishersTable(found: readonly Found[]): string {
  const rows = found.map(({ findings, states }) => {
    const [kind, , kills, errors, violations] = findings.row;
    return [kind, states, kills, errors, violations].map(String);
  });
  return table(['finishing', 'states left by a kill', 'kills', 'errors', 'violations'], rows);
}
