import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { startHttpServer } from '../fronts/server-process.js';
import { kinds } from '../transports/http/harness.js';
import { attacks, attackWith, untouched } from './hostile-clients.js';

/** A few of each; `npm run prove -- hostile` sends thousands, and checks what they leave behind. */
const count = 22;

describe('hostile clients', { concurrency: true }, () => {
  for (const kind of kinds) {
    it(
      `cost no other client an answer, change nothing, and do not stop the server (${kind})`,
      { timeout: 120_000 },
      () =>
        withDirectory({ 'a.txt': untouched, 'large.txt': 'x'.repeat(5_000_000) }, async (directory) => {
          const nodeListener = kind === 'node';
          const server = await startHttpServer(directory, { durability: 'none' }, { nodeListener });
          const target = { process: server, url: server.url };
          await Promise.all(Object.values(attacks).map((attack) => attackWith(target, attack, count)));
          assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), untouched);
          assert.equal(await server.stop(), 0);
          assert.doesNotMatch(server.errors(), /"level":"(?:error|fatal)"/);
        }),
    );
  }
});
