import type { Comparison, Subject } from './figures.js';

/**
 * Visit the subjects of a comparison in turns, in reverse order every other round, so neither a warm processor nor a
 * slow minute of the machine favours one of them. Subjects that this machine cannot measure are skipped.
 */
export async function takeTurns(
  { figures, rounds }: Pick<Comparison, 'figures' | 'rounds'>,
  visit: (subject: Subject) => Promise<void>,
): Promise<void> {
  const subjects = new Set(figures.flatMap(({ own, baseline }) => (baseline === undefined ? [own] : [own, baseline])));
  const order = [...subjects].filter((subject) => subject.missing === undefined);
  for (let round = 0; round < rounds; round++) {
    for (const subject of round % 2 === 0 ? order : order.toReversed()) await visit(subject);
  }
}
