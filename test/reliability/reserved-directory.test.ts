/** Spec 6: a lock whose file was removed excludes no one; the server notices before it writes anything. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from './client.js';
import { edit, withScene } from './directory-scene.js';
import { Ledger } from './ledger.js';
import { seeded } from './random.js';
import { eventually, temporaryFiles, transports } from './server.js';

/** The lock was lost before the commit (spec 6). */
function assertConflict(reply: Reply): void {
  assert.ok(reply.kind === 'refused', JSON.stringify(reply));
  assert.match(reply.message, /^File '[xy]\.log' was modified concurrently$/);
  assert.deepEqual([reply.code, reply.status ?? 409], [-32001, 409]);
}

describe('the reserved directory', { timeout: 600_000 }, () => {
  for (const transport of transports) {
    it(`removed repeatedly, as git clean -fdX does, during edits over ${transport}: none is lost`, (test) =>
      withScene(transport, async (scene) => {
        const random = seeded(test);
        const ledgers = new Map(['x.log', 'y.log'].map((name) => [name, new Ledger()]));
        const reserved = join(scene.directory, '.file-editor');
        let editing = true;
        const refusals: Reply[] = [];
        const clients = Array.from({ length: 4 }, async (_, author) => {
          const client = scene.server.connect();
          for (let i = 0; editing; i++) {
            const [name, ledger] = random.pick([...ledgers]);
            const line = `client${String(author)}-${String(i)}`;
            const reply = await client.call('edit_file', { name, append: line, create_if_missing: true });
            if (reply.kind === 'done') {
              ledger.acknowledge(line, reply.result['new_total_lines']);
            } else {
              ledger.refuse(line);
              refusals.push(reply);
            }
            if (reply.kind === 'unanswered') break;
          }
        });
        for (let i = 0; i < 60; i++) {
          await sleep(random.between(0, 12));
          try {
            rmSync(reserved, { recursive: true, force: true });
          } catch (error) {
            // An edit got in first and created a file in it.
            assert.match(String(error), /ENOTEMPTY/);
          }
        }
        editing = false;
        await Promise.all(clients);
        for (const [name, ledger] of ledgers) ledger.check(join(scene.directory, name));
        for (const reply of refusals) assertConflict(reply);
        test.diagnostic(`${String(refusals.length)} edits were refused because their lock or temporary file was gone`);
        // If an edit intervened, the directory may stay half removed; once gone, it is recreated.
        rmSync(reserved, { recursive: true, force: true });
        for (const name of ['a.txt', ...ledgers.keys()]) assert.equal((await edit(scene, name)).kind, 'done');
        assert.equal(readFileSync(join(reserved, '.gitignore'), 'utf8'), '*\n');
        assert.ok(await eventually(() => temporaryFiles(scene.directory).length === 0));
      }));
  }
});
