/** A client generated from the OpenAPI document with openapi-typescript and openapi-fetch. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../fronts/server-process.js';
import { compile, makeProject, nodeTypes, run, withFolder } from './installation.js';

const program = `
import createClient from 'openapi-fetch';
import type { paths } from './generated.js';

const { POST, GET } = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const created = await POST('/edit_file', { body: { name: 'a.txt', append: 'one\\ntwo', create_if_missing: true } });
const lines: number | undefined = created.data?.new_total_lines;
const read = await POST('/read_file', { body: { name: 'a.txt', start_line: 2, return_hash: true }, params: { query: { name: 'a.txt' } } });
const known = await POST('/read_file', { body: { name: 'a.txt' }, params: { header: { 'If-None-Match': read.response.headers.get('ETag') ?? '' } } });
const stale = await POST('/str_replace', { body: { path: 'a.txt', old_str: 'one', new_str: 'ONE', expected_hash: 'stale' } });
const code: -32001 | number | undefined = stale.error?.error.code;
// @ts-expect-error
const wrong = await POST('/read_file', { body: { file: 'a.txt' } });
const viewed = async (path: string) => (await POST('/view', { body: { path } })).data;
const [file, directory] = [await viewed('a.txt'), await viewed('')];
const shown: string | undefined = file?.type === 'file' ? file.content : undefined;
const names: string[] | undefined = directory?.type === 'directory' ? directory.entries : undefined;
const health = await GET('/health');
console.log(JSON.stringify({
  lines, content: read.data?.content, known: known.response.status, code, reason: stale.error?.error.data.reason,
  wrong: wrong.error?.error.message, health: health.data?.status, shown, names,
}));
`;

describe('a client generated from the OpenAPI document', () => {
  it('compiles and works', () =>
    withFolder(async (folder) => {
      const project = join(folder, 'project');
      await makeProject(project, ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'], { 'program.ts': program });
      const server = await startHttpServer(folder, { toolset: 'all' });
      try {
        const generator = join(project, 'node_modules/.bin/openapi-typescript');
        await run(project, generator, `${server.url}/openapi.json`, '--output=generated.d.ts');
        const module = { module: 'node16', moduleResolution: 'node16', noEmit: false };
        await compile(project, 'tsconfig.json', { ...module, ...nodeTypes }, 'program.ts');
        assert.deepEqual(JSON.parse(await run(project, process.execPath, 'program.js', server.url)), {
          lines: 2,
          content: 'two',
          known: 304,
          code: -32001,
          reason: 'conflict',
          wrong: 'Invalid params: /name is required (and 1 more)',
          shown: 'one\ntwo\n',
          names: ['a.txt', 'project'],
          health: 'ok',
        });
      } finally {
        assert.equal(await server.stop(), 0);
      }
    }));
});
