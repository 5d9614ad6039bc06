import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { errorExample, examples } from '../../src/examples.js';
import { availableOperations, operations, type Toolset } from '../../src/operations.js';
import { openApi } from '../../src/protocols/openapi.js';
import { emptyDirectory, withDirectory } from '../directory.js';
import { startHttpServer } from '../fronts/server-process.js';
import { DescribedAnswers } from './openapi-answers.js';

const headers = new Headers({ 'X-Request-Id': 'a' });

const serverKinds: readonly { toolsets: Toolset[]; readOnly: boolean }[] = [
  { toolsets: ['files', 'storage', 'edits'], readOnly: false },
  { toolsets: ['files'], readOnly: false },
  { toolsets: ['files', 'storage'], readOnly: true },
];

describe('the OpenAPI document', () => {
  for (const kind of serverKinds) {
    it(`is valid OpenAPI 3.1 for ${JSON.stringify(kind)}`, async () => {
      const document = { ...openApi(availableOperations(kind).values(), '1.2.3') };
      const validator = new Validator();
      const { valid, errors } = await validator.validate(document);
      assert.ok(valid, JSON.stringify(errors));
      assert.equal(validator.version, '3.1');
    });
  }

  it('says that no operation asks who calls, for readers who take silence for an oversight', () => {
    assert.deepEqual(openApi(operations.values(), '1.2.3')['security'], []);
  });

  it('says of each error with which code and which reason it comes', () => {
    const document = openApi(operations.values(), '1.2.3');
    const described = new DescribedAnswers(document);
    const refused = (reason: string, timestamp = '2026-01-02T03:04:05Z') => ({
      error: { code: -32001, message: '', data: { timestamp, details: '', reason } },
    });
    described.check('create', 409, headers, refused('file_exists'));
    described.check('create', 507, headers, refused('disk_full'));
    assert.throws(() => described.check('create', 409, headers, refused('file_not_found')));
    assert.throws(() => described.check('create', 409, headers, refused('file_exists', 'today')), /date-time/);
    assert.throws(() => described.check('view', 409, headers, refused('file_exists')), /may answer 409/);
    assert.throws(() => described.check('list_files', 412, headers, errorExample), /may answer 412/);
  });

  it('describes its own examples, formats included', () => {
    const described = new DescribedAnswers(openApi(operations.values(), '1.2.3'));
    for (const [operation, { result }] of Object.entries(examples)) described.check(operation, 200, headers, result);
    described.check('read_file', 404, headers, errorExample);
    const [file] = examples.list_files.result.files;
    const undated = { ...examples.list_files.result, files: [{ ...file, modified: 'today' }] };
    assert.throws(() => described.check('list_files', 200, headers, undated), /modified must match format "date-time"/);
  });

  it('has an example of each operation, and of an error, that is true', () =>
    withDirectory({}, async (directory) => {
      const server = await startHttpServer(directory, { toolset: 'all' });
      try {
        const answers = await DescribedAnswers.of(server.url);
        for (const [operation, { params, result }] of Object.entries(examples)) {
          prepare(directory);
          const here = 'directory' in result ? { ...result, directory } : result;
          assert.deepEqual(await post(server.url, operation, params, answers), here);
        }
        const { error } = await post(server.url, 'read_file', { name: 'missing.txt' }, answers);
        const { timestamp } = errorExample.error.data;
        assert.ok(typeof error === 'object' && error !== null && 'data' in error && typeof error.data === 'object');
        assert.deepEqual({ error: { ...error, data: { ...error.data, timestamp } } }, errorExample);
      } finally {
        assert.equal(await server.stop(), 0);
      }
    }));
});

/** The directory that the examples are about (src/examples.ts). */
function prepare(directory: string): void {
  emptyDirectory(directory);
  mkdirSync(join(directory, 'drafts'));
  writeFileSync(join(directory, 'drafts/plan.md'), 'Plan A\n');
  writeFileSync(join(directory, 'notes.txt'), 'one\ntwo\nthree\n');
  utimesSync(join(directory, 'notes.txt'), new Date(0), new Date('2026-01-02T03:04:05Z'));
}

async function post(
  url: string,
  operation: string,
  params: object,
  answers: DescribedAnswers,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(params),
  });
  const body = (await response.json()) as Record<string, unknown>;
  answers.check(operation, response.status, response.headers, body);
  return body;
}
