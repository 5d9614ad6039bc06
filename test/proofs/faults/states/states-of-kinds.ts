/**
 * Power cuts, all of them: from the system calls of a kind of write follows what may be on the disk if the power is lost
 * after any of them. A server starts on each of these states, and must keep its promises.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { table } from '../../../../bench/report/table.js';
import type { Random } from '../../../reliability/random.js';
import type { WriteKind } from '../write-kinds.js';
import { writeKinds } from '../write-kinds.js';
import { putOnDisk } from './disk-of.js';
import { statesAfterLoss, type AllLost } from './lost-power.js';
import { assertPromises } from './promises.js';
import { traceKinds, type Traced } from './traced-kinds.js';

/** In memory, where a sync costs nothing. */
const memory = '/dev/shm';

export function cannotStage(): string | false {
  return existsSync(memory) ? false : `needs ${memory}`;
}

export interface OfKind {
  readonly kind: WriteKind;
  readonly violations: readonly string[];
  calls: number;
  states: number;
  distinct: number;
  checked: number;
  isSampled: boolean;
}

/** Beyond these, some are chosen at random. */
interface Most {
  /** Of what may be lost at one moment. */
  readonly losses: number;
  /** Of the states of a kind in one way, on each of which a server starts. */
  readonly starts: number;
}

export const all: Most = { losses: 1_048_576, starts: Infinity };
/** A minute on two processors. */
export const some: Most = { losses: 16_384, starts: 20 };

/** @param only the kinds whose name holds this */
export async function loseAnything(only: string, random: Random, most: Most): Promise<readonly OfKind[]> {
  const directory = mkdtempSync(join(memory, 'file-editor-states-'));
  try {
    const kinds = writeKinds.filter(({ name }) => name.includes(only));
    const traced = await traceKinds(kinds, directory);
    const results: OfKind[] = [];
    for (const kind of kinds) {
      const violations: string[] = [];
      const result = { kind, violations, calls: 0, states: 0, distinct: 0, checked: 0, isSampled: false };
      for (const each of traced.filter((one) => one.kind === kind)) {
        const found = statesAfterLoss(each.timeline, random, most.losses);
        const chosen = sampleOf(found.distinct, most.starts, random);
        result.calls += each.calls;
        result.states += found.states;
        result.distinct += found.distinct.length;
        result.checked += chosen.length;
        result.isSampled ||= found.isSampled;
        violations.push(...(await violationsIn(each, chosen, join(directory, 'state'))));
      }
      results.push(result);
      process.stderr.write(`${rowOf(result).join(', ')}\n`);
    }
    return results;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function violationsIn(
  { kind, way, at, numbers }: Traced,
  states: AllLost['distinct'],
  directory: string,
): Promise<string[]> {
  const violations: string[] = [];
  for (const state of states) {
    try {
      putOnDisk(state, directory, numbers);
      await assertPromises(kind, { directory, at, answered: state.answered, history: way.history });
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      violations.push(
        `${kind.name} (${way.name}), ${String(state.answered)} answered, lost: ${state.losses()}: ${what}`,
      );
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
    // The server closes files in other threads, which must not fall behind.
    await nextRound();
  }
  return violations;
}

function sampleOf<Item>(items: readonly Item[], most: number, random: Random): readonly Item[] {
  if (items.length <= most) return items;
  const left = [...items];
  return Array.from({ length: most }, () => left.splice(random.between(0, left.length - 1), 1)).flat();
}

function rowOf({ kind, calls, states, distinct, checked, isSampled, violations }: OfKind): string[] {
  const told = `${String(states)}${isSampled ? ' (sampled)' : ''}`;
  return [kind.name, String(calls), told, ...[distinct, checked, violations.length].map(String)];
}

export function statesTable(results: readonly OfKind[]): string {
  const sum = (figure: 'calls' | 'states' | 'distinct' | 'checked'): string =>
    String(results.reduce((total, each) => total + each[figure], 0));
  const violations = results.reduce((total, each) => total + each.violations.length, 0);
  return table(
    ['power lost during', 'system calls', 'states', 'distinct', 'checked', 'violations'],
    [...results.map(rowOf), ['all', sum('calls'), sum('states'), sum('distinct'), sum('checked'), String(violations)]],
  );
}
