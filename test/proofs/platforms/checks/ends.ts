/** How a server ends, and what it is told while it runs. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf, withDirectory } from '../files.js';
import { send } from '../http.js';
import { startHttpServer, startServer } from '../scene.js';
import { onWindows } from '../target.js';

const inFlight = 20;

describe('the end of a server', () => {
  it('comes with the end of its input, after every answer, with exit code 0', () =>
    withDirectory({ 'a.txt': 'start\n' }, async (directory) => {
      const server = await startServer(directory);
      const calls = Array.from({ length: inFlight }, (_, i) =>
        server.done('edit_file', { name: 'a.txt', append: `line ${i}` }),
      );
      const code = await server.end();
      await Promise.all(calls);
      assert.equal(code, 0, server.errors());
      assert.equal(textOf(directory, 'a.txt').split('\n').length, inFlight + 2);
    }));

  it('comes by SIGTERM over HTTP, with exit code 0', { skip: onWindows && 'there are no signals' }, () =>
    withDirectory({}, async (directory) => {
      const server = await startHttpServer(directory);
      assert.equal(await server.stop(), 0, server.errors());
    }),
  );
});

/** A file of tokens with the one of this value. */
function tokens(value: string): string {
  const sha256 = createHash('sha256').update(value).digest('hex');
  return JSON.stringify({ tokens: [{ name: 'agent', sha256, access: 'write' }] });
}

describe('on Windows', { skip: !onWindows && 'SIGHUP says so here' }, () => {
  it('a changed file of tokens holds within 5 s', () =>
    withDirectory({ 'tokens.json': tokens('old'), 'served/a.txt': 'x\n' }, async (directory) => {
      const file = join(directory, 'tokens.json');
      const server = await startHttpServer(join(directory, 'served'), [`--tokens=${file}`]);
      const statusFor = async (token: string): Promise<number | undefined> =>
        (await send(server.url, '/read_file', { name: 'a.txt' }, token)).status;
      try {
        assert.deepEqual([await statusFor('old'), await statusFor('new')], [200, 401]);
        writeFileSync(file, tokens('new'));
        const changed = performance.now();
        while ((await statusFor('new')) !== 200 && performance.now() - changed < 5000) await sleep(100);
        assert.deepEqual([await statusFor('old'), await statusFor('new')], [401, 200]);
      } finally {
        await server.kill();
      }
    }));
});
