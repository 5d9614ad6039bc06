import type { WriteKind } from './write-kinds.js';
import { sameTree, withoutLitter, type Tree } from './tree.js';

/**
 * Which calls of a kind took effect, judging by the files.
 * @param litter whether to ignore what a killed process may leave behind
 * @returns undefined if no choice of calls explains the files
 */
export function effectsIn(
  kind: WriteKind,
  at: string,
  tree: Tree,
  possible: readonly (readonly boolean[])[],
  litter: boolean,
): readonly boolean[] | undefined {
  const matches = (same: (a: Tree, b: Tree) => boolean): readonly boolean[] | undefined =>
    possible.find((done) => same(tree, kind.after(at, done)));
  const exact = matches(sameTree);
  if (exact !== undefined || !litter) return exact;
  return matches((a, b) => sameTree(withoutLitter(a), withoutLitter(b)));
}

/** All combinations of effects: known calls as known, unknown ones both ways. */
export function possibleEffects(known: readonly (boolean | undefined)[]): boolean[][] {
  return known.reduce<boolean[][]>(
    (choices, each) =>
      choices.flatMap((choice) => (each === undefined ? [true, false] : [each]).map((one) => [...choice, one])),
    [[]],
  );
}
