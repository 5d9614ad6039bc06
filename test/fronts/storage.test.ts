/** What the storage tools do beyond one call (spec 11), through every front; single calls are in the lists of cases. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tryFileLock } from '../../workers/disk/lock/lock.js';
import { Reserved } from '../../workers/disk/lock/reserved.js';
import { Root } from '../../workers/disk/paths/root.js';
import { withDirectory } from '../directory.js';
import { fronts, type Answer, type Session } from './fronts.js';

const options = { toolset: 'storage' };

const text = (content: string): Record<string, unknown> => ({
  type: 'file',
  content,
  encoding: 'utf-8',
  size: Buffer.byteLength(content),
});

for (const front of fronts) {
  describe(`the storage tools (${front.name})`, () => {
    it('keep their effects across a restart', () =>
      withDirectory({}, async (directory) => {
        const first = await front.open(directory, options);
        assert.ok((await first.call('create', { path: 'notes/a.md', content: 'kept' })).ok);
        assert.equal(await first.close(), 0);
        const second = await front.open(directory, options);
        assert.deepEqual(await second.call('view', { path: 'notes/a.md' }), { ok: true, result: text('kept') });
        assert.equal(await second.close(), 0);
      }));

    it('offer only `view` with --read-only, and create nothing', () =>
      withDirectory({ 'notes/a.md': 'text' }, async (directory) => {
        const session = await front.open(directory, { ...options, readOnly: true });
        assert.deepEqual(await session.call('view', { path: 'notes/a.md' }), { ok: true, result: text('text') });
        for (const operation of ['create', 'str_replace', 'insert', 'delete', 'rename', 'read_file'] as const) {
          const answer = await session.call(operation, { path: 'notes/a.md' });
          assert.equal(!answer.ok && answer.error.code, -32601, operation);
        }
        assert.deepEqual(readdirSync(directory), ['notes']);
        assert.equal(await session.close(), 0);
      }));

    it('do nothing when they report busy or a timeout', () =>
      withDirectory({ 'notes/a.md': 'text' }, async (directory) => {
        const limits = { timeout: 1, maxConcurrent: 1, maxQueue: 0 };
        const session = await front.open(directory, { ...options, ...limits });
        const root = new Root(directory);
        root.refresh();
        const lock = tryFileLock(new Reserved(root), 'notes/a.md', []);
        assert.ok(lock);
        const waits = session.call('insert', { path: 'notes/a.md', insert_line: 1, new_str: 'new\n' });
        const refused = await eventuallyRefused(session);
        const late = await waits;
        lock.release();
        assert.ok(!late.ok && !refused.ok);
        const told = [refused, late].map(({ error, status }) => [error.code, error.data['reason'], status]);
        const statuses = front.name.startsWith('REST') ? [503, 504] : [undefined, undefined];
        assert.deepEqual(told, [
          [-32001, 'busy', statuses[0]],
          [-32001, 'timeout', statuses[1]],
        ]);
        assert.equal(readFileSync(join(directory, 'notes/a.md'), 'utf8'), 'text');
        assert.equal(await session.close(), 0);
      }));
  });
}

/** A call that is refused because another one is running. */
async function eventuallyRefused(session: Session): Promise<Answer> {
  for (;;) {
    const answer = await session.call('view', { path: '' });
    if (!answer.ok) return answer;
  }
}
