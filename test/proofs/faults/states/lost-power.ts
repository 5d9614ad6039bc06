/**
 * All that may be on a disk after a loss of power: at each moment what has been synced is there, and of the rest any
 * part. Between two moments at which something gets to be on disk for certain, the last one has all states of those
 * before it; so only these are looked at, and those at which a call is answered.
 */
import type { Random } from '../../../reliability/random.js';
import { choicesOf, partsOf, type Option } from './choices.js';
import { Entries, bytesAfter, isSyncedWith, type Disk, type Effect, type Node, type Timeline } from './effects.js';

/** What is there after a loss of power. */
export interface Lost {
  readonly root: Node;
  readonly entries: Disk['entries'];
  bytesOf(node: Node): Buffer;
  /** The calls that had been answered. */
  readonly answered: number;
  /** What was lost, in words. */
  readonly losses: () => string;
}

export interface AllLost {
  /** Moments, times what may be lost at each. */
  readonly states: number;
  /** Not all of them could be looked at. */
  readonly isSampled: boolean;
  /** Those that differ. */
  readonly distinct: readonly Lost[];
}

/** @param most of what may be lost at one moment; beyond that, a part of it is chosen */
export function statesAfterLoss({ before, moments }: Timeline, random: Random, most: number): AllLost {
  const effects: Effect[] = [];
  const durable = new Set<number>();
  const found = new Map<string, Lost>();
  let [states, isSampled, answered, isDue] = [0, false, 0, true];
  const look = (): void => {
    if (!isDue) return;
    isDue = false;
    const parts = partsOf(effects, durable);
    states += parts.reduce((product, { options }) => product * options.length, 1);
    const choices = choicesOf(parts, random, most);
    isSampled ||= choices.isSampled;
    for (const options of choices.all) {
      const [key, lost] = stateOf(before, [...effects], options, answered);
      // Once a call is answered, more is promised.
      if ((found.get(key)?.answered ?? -1) < answered) found.set(key, lost);
    }
  };
  for (const moment of moments) {
    if ('effect' in moment) {
      effects.push(moment.effect);
      isDue = true;
    } else if ('synced' in moment) {
      look();
      for (const [index, effect] of effects.entries()) {
        if (index < moment.covered && isSyncedWith(effect, moment.synced)) durable.add(index);
      }
    } else {
      look();
      ({ answered } = moment);
      isDue = true;
    }
  }
  look();
  return { states, isSampled, distinct: [...found.values()] };
}

function stateOf(
  { root, entries: names, bytes }: Disk,
  effects: readonly Effect[],
  options: readonly Option[],
  answered: number,
): readonly [key: string, lost: Lost] {
  const lost = new Set(options.flatMap((option) => option.lost));
  const torn = new Map(options.flatMap(({ torn: each }) => (each === undefined ? [] : [[each.effect, each.how]])));
  const entries = new Entries(names);
  const versions = new Map<number, string>();
  /** Directories that are not there: what was put into them is lost with them, and what was moved there was not moved. */
  const missing = new Set<Node>();
  for (const [index, effect] of effects.entries()) {
    if (lost.has(index) || isBelow(effect, missing)) {
      if (effect.kind === 'entry' && effect.node?.kind === 'directory') missing.add(effect.node);
      continue;
    }
    entries.apply(effect);
    if ('node' in effect && (effect.kind === 'bytes' || effect.kind === 'length')) {
      versions.set(effect.node.id, `${String(index)}${torn.get(index) ?? ''}`);
    }
  }
  const state: Lost = {
    root,
    entries: entries.all,
    bytesOf: ({ id }) =>
      effects.reduce(
        (content, effect, index) =>
          !lost.has(index) && effect.kind !== 'entry' && effect.node.id === id
            ? bytesAfter(content, tornEffect(effect, torn.get(index)))
            : content,
        bytes.get(id) ?? Buffer.alloc(0),
      ),
    answered,
    losses: () =>
      [
        ...[...lost].map((index) => `-${nameOf(effects[index])}`),
        ...[...torn].map(([index, how]) => `${how} ${nameOf(effects[index])}`),
      ].join(', '),
  };
  return [keyOf(root, entries, versions), state];
}

function isBelow(effect: Effect, missing: ReadonlySet<Node>): boolean {
  if (effect.kind === 'entry') return missing.has(effect.directory);
  return effect.kind === 'rename' && (missing.has(effect.to.directory) || missing.has(effect.node));
}

function tornEffect(effect: Effect, how: 'half' | 'zeros' | undefined): Effect {
  if (effect.kind !== 'bytes' || how === undefined) return effect;
  const { length } = effect.bytes;
  const bytes = how === 'zeros' ? Buffer.alloc(length) : effect.bytes.subarray(0, Math.floor(length / 2));
  return { ...effect, bytes };
}

/** Equal for states that no program can tell apart. */
function keyOf(directory: Node, entries: Entries, versions: ReadonlyMap<number, string>): string {
  const names = [...entries.in(directory)].sort(([a], [b]) => (a < b ? -1 : 1));
  return names
    .map(([name, node]) => {
      const inside = node.kind === 'directory' ? `(${keyOf(node, entries, versions)})` : '';
      return `${name}=${String(node.id)}.${versions.get(node.id) ?? ''}${inside}`;
    })
    .join('/');
}

function nameOf(effect: Effect | undefined): string {
  switch (effect?.kind) {
    case 'entry':
      return `${effect.node === undefined ? 'removal of' : 'name'} ${effect.name}`;
    case 'rename':
      return `rename ${effect.from.name} to ${effect.to.name}`;
    case 'bytes':
      return `bytes of ${String(effect.node.id)}`;
    case 'length':
      return `length of ${String(effect.node.id)}`;
    case undefined:
      return 'nothing';
  }
}
