/** Spec 17: a view of a file has an ETag, and a client that knows this version is answered without the text. */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lendToSuite } from '../directory.js';
import { startHttpServer } from './server-process.js';

interface Reply {
  readonly status: number;
  readonly tag: string | null;
  readonly text: string;
}

for (const nodeListener of [false, true]) {
  describe(`view over REST${nodeListener ? ' on node:http' : ''}`, () => {
    let directory: string;
    let view: (params: object, known?: string) => Promise<Reply>;

    const files = { 'notes/a.txt': 'one\ntwo\n', 'notes/b.bin': Buffer.from([0xff, 0xfe]), 'notes/empty': '' };
    lendToSuite(files, async (lent) => {
      directory = lent;
      const server = await startHttpServer(lent, { toolset: 'all' }, { nodeListener });
      view = async (params, known) => {
        const response = await fetch(`${server.url}/view`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...(known === undefined ? {} : { 'If-None-Match': known }) },
          body: JSON.stringify(params),
        });
        return { status: response.status, tag: response.headers.get('ETag'), text: await response.text() };
      };
      return () => server.stop();
    });

    it('has the hash of the whole file as its ETag, also for lines of it and for bytes', async () => {
      for (const path of Object.keys(files)) {
        const { status, tag, text } = await view({ path, return_hash: true });
        const { hash } = JSON.parse(text) as { hash: string };
        assert.deepEqual([status, tag], [200, `"${hash}"`], path);
        assert.equal((await view({ path })).tag, tag);
      }
      const whole = await view({ path: 'notes/a.txt' });
      const part = await view({ path: 'notes/a.txt', start_line: 2 });
      assert.equal(part.tag, whole.tag);
      assert.ok(!('hash' in (JSON.parse(part.text) as object)), 'only where it is asked for');
    });

    it('is answered with 304 and nothing else until the file changes', async () => {
      const path = 'notes/a.txt';
      const { tag } = await view({ path });
      assert.ok(tag !== null);
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        for (const params of [{ path }, { path, start_line: 2 }]) {
          assert.deepEqual(await view(params, known), { status: 304, tag, text: '' });
        }
      }
      assert.equal((await view({ path }, '"x"')).status, 200);
      appendFileSync(join(directory, path), 'three\n');
      const changed = await view({ path }, tag);
      assert.equal(changed.status, 200);
      assert.notEqual(changed.tag, tag);
    });

    it('tells errors and directories in any case', async () => {
      assert.equal((await view({ path: 'none' }, '*')).status, 404);
      const { status, tag } = await view({ path: 'notes' }, '*');
      assert.deepEqual([status, tag], [200, null]);
    });
  });
}
