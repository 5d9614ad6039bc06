/**
 * Simulated file system faults for one test: functions of node:fs that fail, lose their replies or come too late, for
 * every import in this process. The originals are restored when the test ends, or by `mend()`.
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

/** From now on, calls run `answer`, which receives the original function. */
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

/** Runs before each call; if it throws, the call is not made. */
export function before<Each extends Name>(name: Each, act: (...args: Args<Each>) => void): void {
  instead(name, (call, ...args) => {
    act(...args);
    return call(...args);
  });
}

/** Runs after each call has done its work; if it throws, the result is lost. */
export function after<Each extends Name>(name: Each, act: (...args: Args<Each>) => void): void {
  instead(name, (call, ...args) => {
    const answer = call(...args);
    act(...args);
    return answer;
  });
}

/** Calls fail without effect. @param when every call if absent */
export function failing<Each extends Name>(name: Each, code: string, when?: (...args: Args<Each>) => boolean): void {
  before(name, (...args) => {
    if (when?.(...args) !== false) throw systemError(code);
  });
}

/** Calls succeed but report failure. @param when every call if absent */
export function losingReply<Each extends Name>(
  name: Each,
  code: string,
  when?: (...args: Args<Each>) => boolean,
): void {
  after(name, (...args) => {
    if (when?.(...args) !== false) throw systemError(code);
  });
}

/** @returns the number of calls since then */
export function counting(name: Name): () => number {
  let count = 0;
  before(name, () => count++);
  return () => count;
}
