import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { withDirectory } from '../directory.js';
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
  let end: () => void;
  let ended: Promise<void>;
  const running = (): SharedSession => {
    assert.ok(shared, 'the server runs');
    return shared;
  };
  before(async () => {
    await new Promise<void>((ready, failed) => {
      ended = withDirectory({}, async (directory) => {
        shared = { session: await front.open(directory, options), directory };
        ready();
        await new Promise<void>((resolve) => (end = resolve));
      });
      ended.catch(failed);
    });
  });
  after(async () => {
    assert.equal(await running().session.close(), 0);
    end();
    await ended;
  });
  return running;
}
