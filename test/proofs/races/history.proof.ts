/**
 * Real history as a test: each change that a commit made to a text file is sent as `edit_file` calls, and the
 * file is compared with git's, byte for byte. For the history of another repository:
 *
 *   GIT_REPOSITORY=/path node --import ./test/typescript.mjs --test test/proofs/races/history.proof.ts
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withDirectory } from '../../directory.js';
import { isShallow, missingHistory } from '../../reliability/git-history.js';
import { makeOddHistory } from '../../reliability/odd-history.js';
import { seeded } from '../../reliability/random.js';
import { replay, type Replayed } from '../../reliability/replay.js';
import { temporaryFiles, withServer } from '../../reliability/server.js';

const repository = process.env['GIT_REPOSITORY'] ?? fileURLToPath(new URL('../../..', import.meta.url));

/** Through one stdio server. Nothing is killed here, so nothing needs to be synced. */
function replayed(test: TestContext, from: string): Promise<Replayed> {
  return withDirectory({}, async (directory) => {
    let sum: Replayed | undefined;
    await withServer('stdio', directory, { durability: 'none' }, async (server) => {
      sum = await replay(from, directory, server.connect());
      assert.deepEqual(temporaryFiles(directory), []);
      assert.equal(await server.process.stop(), 0);
    });
    assert.ok(sum);
    const skipped = [...sum.skipped].map(([reason, count]) => `${reason} ${String(count)}`).join(', ');
    test.diagnostic(
      `${String(sum.commits)} commits: ${String(sum.changes)} changes in ${String(sum.calls)} calls, ` +
        `${String(sum.removed)} files removed, ${String(sum.restored)} put there by hand; ` +
        `skipped: ${skipped || 'none'}`,
    );
    return sum;
  });
}

describe('edit_file reproduces what git has recorded', () => {
  const missing = missingHistory(repository);
  it(
    `in the history of ${process.env['GIT_REPOSITORY'] ?? 'this project'}`,
    { skip: missing ?? false },
    async (test) => {
      if (isShallow(repository)) test.diagnostic('a shallow clone: its oldest commit counts as the first');
      const sum = await replayed(test, repository);
      assert.ok(sum.changes > 0, 'there was something to replay');
    },
  );

  it('in a history of unusual files', (test) =>
    withDirectory({}, async (directory) => {
      makeOddHistory(directory, seeded(test));
      const sum = await replayed(test, directory);
      assert.ok(sum.changes > 200 && sum.calls > sum.changes && sum.removed > 0, 'all kinds of changes were replayed');
      const reasons = [
        'byte order mark',
        'final newline',
        'larger than 1 MB',
        'not UTF-8',
        'not a regular file',
        'separators',
      ];
      assert.deepEqual([...sum.skipped.keys()].sort(), reasons.sort());
    }));
});
