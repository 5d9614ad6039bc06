/** Spec 17: a model is shown pictures; everyone else gets their bytes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lendToSuite } from '../directory.js';
import { connections, type Connected, type ConnectionName } from './mcp.js';
import { startHttpServer, type HttpServer } from './server-process.js';

/** The beginning of a file, and bytes that no text has. */
const starting = (text: string, size = 40): Buffer =>
  Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(size - text.length, 0xff)]);

const png = '\x89PNG\r\n\x1a\n';
const pictures = {
  'a.png': ['image/png', starting(png)],
  'b.jpg': ['image/jpeg', starting('\xff\xd8\xff\xe0')],
  'c.gif': ['image/gif', starting('GIF87a')],
  'd.gif': ['image/gif', starting('GIF89a')],
  'e.webp': ['image/webp', starting('RIFF\n\n\n\nWEBP')],
  largest: ['image/png', starting(png, 3_500_000)],
} as const;
const others = {
  'too-large.png': starting(png, 3_500_001),
  'cut.png': starting('\x89PNG', 4),
  'sound.wav': starting('RIFF\n\n\n\nWAVE'),
  'gif.txt': starting(' GIF89a'),
  'gif88.gif': starting('GIF88a'),
};
const files = {
  ...Object.fromEntries(Object.entries(pictures).map(([name, [, bytes]]) => [name, bytes])),
  ...others,
  'text.gif': 'GIF89a is how such a file begins\n',
};

const runs: readonly (readonly [ConnectionName, textOnly: boolean])[] = [
  ['sdk 1.x over stdio', false],
  ['client 2.x over HTTP', true],
];

for (const [connection, textOnly] of runs) {
  describe(`a picture, to ${connection}${textOnly ? ', text only' : ''}`, () => {
    let connected: Connected;
    lendToSuite(files, async (directory) => {
      connected = await connections[connection](directory, {
        toolset: 'agent',
        ...(textOnly && { mcpTextOnly: true }),
      });
      return connected.end;
    });
    const view = (given: Record<string, unknown>): ReturnType<Connected['client']['callTool']> =>
      connected.client.callTool({ name: 'view', arguments: given });

    for (const [path, [mimeType, bytes]] of Object.entries(pictures)) {
      it(`is shown, and programs learn its size: ${path}`, async () => {
        const { content, structuredContent, isError } = await view({ path });
        const [image, ...texts] = content as [{ data: string }];
        assert.ok(image.data === bytes.toString('base64'));
        assert.deepEqual({ ...image, data: '' }, { type: 'image', data: '', mimeType });
        assert.deepEqual(texts, [{ type: 'text', text: `${mimeType}, ${String(bytes.length)} bytes` }]);
        assert.equal(isError, false);
        const { hash, ...members } = (structuredContent ?? {}) as Record<string, unknown>;
        if (textOnly) assert.equal(structuredContent, undefined);
        else assert.match(String(hash), /^[0-9a-f]{16}$/);
        assert.deepEqual(members, textOnly ? {} : { type: 'file', encoding: 'base64', size: bytes.length });
      });
    }

    it('comes as base64 with its hash, so that it can be written, and among other files', async () => {
      const { content } = await view({ path: 'a.png', return_hash: true });
      const base64 = `(base64 of 40 bytes)\n${starting(png).toString('base64')}`;
      const [first, second] = content as { type: string; text: string }[];
      assert.deepEqual(first, { type: 'text', text: base64 });
      assert.match(second?.text ?? '', /^Hash: [0-9a-f]{16}$/);
      const several = await view({ files: [{ path: 'a.png' }, { path: 'largest' }] });
      const told = `==> a.png <==\n${base64}\n\n==> largest <==\nError: There is no room for it in this answer\nIt is not text: view it alone.`;
      assert.deepEqual(several['content'], [{ type: 'text', text: told }]);
    });

    it('is not what is larger, begins otherwise, or is text', async () => {
      for (const path of Object.keys(others)) {
        const { content } = await view({ path });
        const [{ type, text }] = content as [{ type: string; text: string }];
        assert.equal(type, 'text');
        assert.match(text.slice(0, 40), /^\(base64 of \d+ bytes\)\n/, path);
      }
      const { content } = await view({ path: 'text.gif' });
      assert.deepEqual(content, [{ type: 'text', text: files['text.gif'] }]);
    });
  });
}

describe('a picture, to a program', () => {
  let server: HttpServer;
  lendToSuite(files, async (directory) => {
    server = await startHttpServer(directory, { toolset: 'storage' });
    return () => server.stop();
  });

  it('is its bytes', async () => {
    const answer: unknown = await (await server.post('/view', { path: 'a.png' })).json();
    const content = starting(png).toString('base64');
    assert.deepEqual(answer, { type: 'file', content, encoding: 'base64', size: 40 });
  });
});
