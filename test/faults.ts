/**
 * Faults of the file system, made up for one test: functions of node:fs that fail, lose their replies, or come too late,
 * for everything that this process imports. When the test ends, or at `mend()`, they are those of the system again.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach } from 'node:test';

type Calls = typeof fs;
type Name = {
  [Each in keyof Calls]: Calls[Each] extends (...args: never[]) => unknown ? Each : never;
}[keyof Calls];
type Args<Each extends Name> = Parameters<Calls[Each]>;

const mended: (() => void)[] = [];
afterEach(mend);

export function mend(): void {
  if (mended.length === 0) return;
  for (const undo of mended.splice(0).reverse()) undo();
  syncBuiltinESMExports();
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made up`), { code });
}

/** From now on, calls answer what `answer` does, which is given the function that was in its place. */
export function instead<Each extends Name>(
  name: Each,
  answer: (call: (...args: Args<Each>) => unknown, ...args: Args<Each>) => unknown,
): void {
  const original = fs[name];
  const call = original as (...args: Args<Each>) => unknown;
  Object.assign(fs, { [name]: (...args: Args<Each>) => answer(call, ...args) });
  mended.push(() => Object.assign(fs, { [name]: original }));
  syncBuiltinESMExports();
}

/** Something happens before each call, which is not made if that throws. */
export function before<Each extends Name>(name: Each, act: (...args: Args<Each>) => void): void {
  instead(name, (call, ...args) => {
    act(...args);
    return call(...args);
  });
}

/** Something happens when the work of each call is done; if that throws, its answer is lost. */
export function after<Each extends Name>(name: Each, act: (...args: Args<Each>) => void): void {
  instead(name, (call, ...args) => {
    const answer = call(...args);
    act(...args);
    return answer;
  });
}

/** Calls fail without having done anything. @param when all of them if absent */
export function failing<Each extends Name>(name: Each, code: string, when?: (...args: Args<Each>) => boolean): void {
  before(name, (...args) => {
    if (when?.(...args) !== false) throw systemError(code);
  });
}

/** Calls do their work and say that they have failed. @param when all of them if absent */
export function losingReply<Each extends Name>(
  name: Each,
  code: string,
  when?: (...args: Args<Each>) => boolean,
): void {
  after(name, (...args) => {
    if (when?.(...args) !== false) throw systemError(code);
  });
}

/** @returns how many calls there were since */
export function counting(name: Name): () => number {
  let count = 0;
  before(name, () => count++);
  return () => count;
}
