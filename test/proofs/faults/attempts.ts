import assert from 'node:assert/strict';
import type { Lane, Ran } from './lane.js';
import { roleOf, type Point } from './points.js';
import type { Injection, SystemCall } from './strace.js';

/**
 * How far from its number the call is sought, try by try. On a busy machine an extra call may come in between, such as a
 * write that wakes another thread, or have come in the run whose calls were counted.
 */
const shifts = [0, 0, 0, -1, 1, 0, -1, 1, -2, 2];
/** Places for further tries. */
export const spare = 100;

export interface Hit {
  readonly place: string;
  readonly ran: Ran;
}

/**
 * Run a kind with a fault at one of its system calls; retry at another place if the fault hit another call.
 * @param struck the call that the fault hit
 * @throws Error if it never hits the intended call
 */
export async function strike(
  lane: Lane,
  point: Point,
  { effect, forEver }: Pick<Injection, 'effect' | 'forEver'>,
  places: string[],
  struck: (ran: Ran) => SystemCall | undefined,
): Promise<Hit> {
  const seen: string[] = [];
  for (const [tries, shift] of shifts.entries()) {
    const place = places.pop() ?? assert.fail('no place is left');
    const { name, isBeside } = point;
    const nth = Math.max(1, point.nth + shift);
    const ran = await lane.run(place, { name, nth, isBeside, effect, forEver }, 3 + 50 * tries);
    const call = struck(ran);
    const role = call === undefined ? 'no call' : roleOf(call, place);
    if (call?.nth === nth && role === point.role) return { place, ran };
    seen.push(role);
    await lane.close();
  }
  throw new Error(`the fault came at ${seen.join(', ')}`);
}
