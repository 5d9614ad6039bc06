import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Lane } from '../../src/pool/lane.js';
import { NoThread } from '../../src/pool/no-thread.js';

describe('the way to a thread', () => {
  it('starts none once it is closed: nobody would end it', async () => {
    const lane = new Lane(() => assert.fail('a thread is started'));
    await lane.close();
    await assert.rejects(lane.thread(), NoThread);
  });
});
