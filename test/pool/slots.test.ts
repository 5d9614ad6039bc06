import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Slots } from '../../src/pool/slots.js';
import { NoThread } from '../../src/pool/thread.js';

describe('the way to a thread', () => {
  it('starts none once it is closed: nobody would end it', async () => {
    const slots = new Slots(() => assert.fail('a thread is started'));
    await slots.close();
    await assert.rejects(slots.thread(), NoThread);
  });
});
