/** What of the effects that were not synced may be lost, and all that may be lost together. */
import type { Random } from '../../../reliability/random.js';
import type { Effect } from './effects.js';

/** What may happen to one part of what was not synced. */
export interface Part {
  readonly options: readonly Option[];
}

export interface Option {
  /** The effects that are lost. */
  readonly lost: readonly number[];
  /** The first so many bytes of this effect are on disk, or its length and no byte. */
  readonly torn?: { readonly effect: number; readonly how: 'half' | 'zeros' };
}

/** Each name by itself, and the bytes of each file together: what was written later is not there without the rest. */
export function partsOf(effects: readonly Effect[], durable: ReadonlySet<number>): readonly Part[] {
  const parts: Part[] = [];
  const written = new Map<number, number[]>();
  for (const [index, effect] of effects.entries()) {
    if (durable.has(index)) continue;
    if (effect.kind === 'entry' || effect.kind === 'rename') parts.push({ options: [{ lost: [] }, { lost: [index] }] });
    else written.set(effect.node.id, [...(written.get(effect.node.id) ?? []), index]);
  }
  for (const indexes of written.values()) {
    const options: Option[] = [{ lost: [] }];
    for (const [at, effect] of indexes.entries()) {
      options.push({ lost: indexes.slice(at) });
      options.push({ lost: indexes.slice(at + 1), torn: { effect, how: 'half' } });
    }
    const last = indexes.at(-1);
    if (last !== undefined) options.push({ lost: [], torn: { effect: last, how: 'zeros' } });
    parts.push({ options });
  }
  return parts;
}

interface Choices {
  readonly all: Iterable<readonly Option[]>;
  readonly isSampled: boolean;
}

/** All choices of an option for each part or, if there are more than `most`, those with few losses, with much lost, and some. */
export function choicesOf(parts: readonly Part[], random: Random, most: number): Choices {
  const count = parts.reduce((product, { options }) => product * options.length, 1);
  if (count <= most) return { all: product(parts), isSampled: false };
  return { all: someOf(parts, random, most), isSampled: true };
}

function* product(parts: readonly Part[]): Generator<readonly Option[]> {
  const [first, ...others] = parts;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const rest of product(others)) for (const option of first.options) yield [option, ...rest];
}

function* someOf(parts: readonly Part[], random: Random, most: number): Generator<readonly Option[]> {
  const none = parts.map(({ options }) => options.slice(0, 1));
  const all = parts.map(({ options }) => options.slice(1, 2));
  for (const usual of [none, all]) {
    for (const [i, one] of parts.entries()) {
      for (const [j, other] of parts.entries()) {
        if (j > i) continue;
        for (const a of one.options) {
          for (const b of i === j ? [a] : other.options) {
            yield usual.map((options, at) => (at === i ? [a] : at === j ? [b] : options)).flat();
          }
        }
      }
    }
  }
  for (let more = 0; more < most; more++) yield parts.map(({ options }) => random.pick(options));
}
