import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ambiguous, malformed } from './http.cases.js';
import { ask, Client, errorOf, kinds, pause, request, withServer } from './http-harness.js';

const edit = '{"name":"a.txt","append":"x"}';

for (const kind of kinds) {
  describe(`where a request ends (${kind})`, { concurrency: true }, () => {
    it('refuses what can be read in two ways with 400 or by closing, and executes nothing of it', async () => {
      await withServer(kind, async ({ port, calls }) => {
        await Promise.all(
          ambiguous.map(async ({ name, parts }) => {
            const client = await Client.connect(port);
            for (const [index, part] of parts.entries()) {
              if (index > 0) await pause(30);
              await client.send(part);
            }
            const { responses } = await client.reply();
            const status = responses[0]?.status;
            assert.ok(status === undefined || status === 400, `${name}: answered ${String(status)}`);
            await client.ended();
            client.leave();
          }),
        );
        assert.deepEqual(calls, []);
      });
    });
  });
}
