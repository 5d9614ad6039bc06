import assert from 'node:assert/strict';
import { lendToSuite } from '../directory.js';
import type { Front, Session } from './fronts.js';

/** A server that the tests of one suite share, since starting it takes longer than most of them do. */
export interface SharedSession {
  readonly session: Session;
  /** What it serves; each test empties it first. */
  readonly directory: string;
}

/**
 * Start a server of a new directory before the tests of the suite that is being described, and end it after them.
 * @returns a function that returns it, not to be called before the tests run
 */
export function sharedSession(front: Front, options: Readonly<Record<string, unknown>>): () => SharedSession {
  let shared: SharedSession | undefined;
  lendToSuite({}, async (directory) => {
    const session = await front.open(directory, options);
    shared = { session, directory };
    return async () => assert.equal(await session.close(), 0);
  });
  return () => {
    assert.ok(shared, 'the server runs');
    return shared;
  };
}
