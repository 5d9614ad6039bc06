/** Holds files open, as another program on Windows. */
import assert from 'node:assert/strict';
import { closeSync, constants, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../../reliability/client.js';

/** libuv's UV_FS_O_EXLOCK, which Node does not name: nobody else may open the file. */
export const exclusive = constants.O_RDONLY | 0x1000_0000;

/** Hold a file until `over` has ended. */
export async function whileHeld<Result>(path: string, flags: number, over: () => Promise<Result>): Promise<Result> {
  const fd = openSync(path, flags);
  try {
    return await over();
  } finally {
    closeSync(fd);
  }
}

/** Hold a file for a while. @returns when it was let go */
export async function holdFor(milliseconds: number, path: string, flags: number): Promise<number> {
  return whileHeld(path, flags, () => sleep(milliseconds)).then(() => performance.now());
}

export function assertSaysOpen(reply: Reply, what: string): void {
  assert.ok(reply.kind === 'refused', `${what}: ${JSON.stringify(reply)}`);
  const { message, data } = reply;
  assert.match(`${message} ${String(data['details'])}`, /another program/i, `${what}: ${JSON.stringify(reply)}`);
  assert.notEqual(data['applied'], 'unknown', `${what}: ${JSON.stringify(reply)}`);
}
