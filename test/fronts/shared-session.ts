import assert from 'node:assert/strict';
import { lendToSuite } from '../directory.js';
import type { Front, Session } from './fronts.js';

/** A server shared by the tests of one suite, since starting it takes longer than most of them. */
export interface SharedSession {
  readonly session: Session;
  /** The served directory; each test empties it first. */
  readonly directory: string;
}

/**
 * Start a server on a new directory before the tests of the current suite, and end it after them.
 * @returns a function that returns it, callable only once tests run
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
