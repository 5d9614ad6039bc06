import { table } from '../../../bench/report/table.js';
import type { Random } from '../../reliability/random.js';
import { cutPower, isBroken, type Cuts, type Sort } from './power-cuts.js';

/** Number of cuts that share one set of writes. */
const batch = 50;

const sorts: readonly Sort[] = (['full', 'file', 'none'] as const).flatMap((durability) =>
  (['auto_da_alloc', 'noauto_da_alloc'] as const).map((mount) => ({ durability, mount })),
);

interface Result {
  readonly sort: Sort;
  readonly sum: Pick<Cuts, 'cuts' | 'writes' | 'lost' | 'torn' | 'mixed'>;
  readonly violations: readonly string[];
}

/** @param cuts of each sort; a tenth for sorts without promises, for comparison */
export async function cutPowerOfEachSort(cuts: number, random: Random): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const sort of sorts) {
    const sum = { cuts: 0, writes: 0, lost: 0, torn: 0, mixed: 0 };
    const violations: string[] = [];
    const wanted = sort.durability === 'none' ? Math.ceil(cuts / 10) : cuts;
    while (sum.cuts < wanted) {
      const found = await cutPower(sort, Math.min(batch, wanted - sum.cuts), random);
      for (const figure of ['cuts', 'writes', 'lost', 'torn', 'mixed'] as const) sum[figure] += found[figure];
      if (isBroken(sort, found)) violations.push(...found.examples.map((example) => `${nameOf(sort)}: ${example}`));
    }
    results.push({ sort, sum, violations });
  }
  return results;
}

const nameOf = ({ durability, mount }: Sort): string => `--durability=${durability} on ext4, ${mount}`;

export function cutsTable(results: readonly Result[]): string {
  const rows = results.map(({ sort, sum }) => [
    nameOf(sort),
    ...[sum.writes, sum.cuts].map(String),
    sort.durability === 'full' ? String(sum.lost) : `(${String(sum.lost)})`,
    sort.durability === 'none' ? `(${String(sum.torn)})` : String(sum.torn),
    sort.durability === 'full' ? String(sum.mixed) : `(${String(sum.mixed)})`,
  ]);
  return table(
    [
      'in parentheses: not promised',
      'writes',
      'power cuts',
      'an acknowledged write lost',
      'torn',
      'changes partly made',
    ],
    rows,
  );
}
