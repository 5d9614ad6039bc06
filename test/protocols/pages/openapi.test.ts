import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { errorExample, examples } from '../../../src/protocols/pages/examples.js';
import { operations, rows, type Toolset } from '../../../src/core/operations.js';
import { availableOperations } from '../../../src/config/offer.js';
import { openApi } from '../../../src/protocols/pages/openapi.js';
import type { NameRule } from '../../../src/core/names/filename.js';
import { emptyDirectory, withDirectory } from '../../directory.js';
import { startHttpServer, type HttpServer } from '../../fronts/server-process.js';
import { DescribedAnswers } from './openapi-answers.js';

const headers = new Headers({ 'X-Request-Id': 'a' });

const serverKinds: readonly { toolsets: Toolset[]; readOnly: boolean }[] = [
  { toolsets: ['files', 'storage', 'edits', 'search', 'changes'], readOnly: false },
  { toolsets: ['files'], readOnly: false },
  { toolsets: ['files', 'storage'], readOnly: true },
];

describe('the OpenAPI document', () => {
  for (const kind of serverKinds) {
    it(`is valid OpenAPI 3.1 for ${JSON.stringify(kind)}`, async () => {
      const document = {
        ...openApi(availableOperations(kind).values(), { version: '1.2.3', names: 'portable', hasTokens: false }),
      };
      const validator = new Validator();
      const { valid, errors } = await validator.validate(document);
      assert.ok(valid, JSON.stringify(errors));
      assert.equal(validator.version, '3.1');
    });
  }

  it('states explicitly that no operation requires authentication', () => {
    assert.deepEqual(
      openApi(operations.values(), { version: '1.2.3', names: 'portable', hasTokens: false })['security'],
      [],
    );
  });

  it('states that every request but that for the health needs a bearer token, with --tokens', async () => {
    const document = openApi(operations.values(), { version: '1.2.3', names: 'portable', hasTokens: true });
    const { valid, errors } = await new Validator().validate({ ...document });
    assert.ok(valid, JSON.stringify(errors));
    assert.deepEqual(document['security'], [{ token: [] }]);
    assert.deepEqual(memberAt(document, 'components.securitySchemes.token'), { type: 'http', scheme: 'bearer' });
    assert.notEqual(memberAt(document, 'paths./read_file.post.responses.401'), undefined);
    assert.deepEqual(memberAt(document, 'paths./health.get.security'), []);
    assert.equal(memberAt(document, 'paths./metrics.get.security'), undefined);
  });

  it("contains the server's configured rule for file names", () => {
    const nameOf = (names: NameRule): unknown => {
      const { paths } = openApi([rows.read_file], { version: '1.2.3', names, hasTokens: false });
      return memberAt(paths, '/read_file.post.requestBody.content.application/json.schema.properties.name');
    };
    const { description } = rows.read_file.params.properties?.['name'] ?? {};
    const shared = { type: 'string', description, minLength: 1, maxLength: 255 };
    assert.deepEqual(nameOf('portable'), { ...shared, pattern: '^[a-zA-Z0-9._-]+$' });
    assert.deepEqual(nameOf('unicode'), { ...shared, pattern: '^[^/\\\\:*?"<>|]+$' });
  });

  it('lists all members of each result shape', () => {
    for (const row of operations.values()) {
      if (row.shapes === undefined) continue;
      const { by, kinds } = row.shapes;
      assert.deepEqual(Object.keys(kinds), row.result.properties?.[by]?.enum);
      const members = Object.values(kinds).flatMap(({ required, optional = [] }) => [...required, ...optional]);
      assert.deepEqual(new Set([by, ...members]), new Set(Object.keys(row.result.properties ?? {})));
    }
    const described = new DescribedAnswers(
      openApi(operations.values(), { version: '1.2.3', names: 'portable', hasTokens: false }),
    );
    const headers = new Headers({ 'X-Request-Id': 'a' });
    described.check('view', 200, headers, { type: 'file', content: '', encoding: 'utf-8', size: 0 });
    described.check('view', 200, headers, { type: 'directory', entries: [] });
    for (const mixed of [
      { type: 'file', entries: [] },
      { type: 'directory', entries: [], size: 0 },
      { type: 'file', content: '', size: 0 },
    ]) {
      assert.throws(() => {
        described.check('view', 200, headers, mixed);
      });
    }
  });

  it('gives the code and reason of each error', () => {
    const document = openApi(operations.values(), { version: '1.2.3', names: 'portable', hasTokens: false });
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
    const described = new DescribedAnswers(
      openApi(operations.values(), { version: '1.2.3', names: 'portable', hasTokens: false }),
    );
    for (const [operation, { result }] of Object.entries(examples)) described.check(operation, 200, headers, result);
    described.check('read_file', 404, headers, errorExample);
    const [file] = examples.list_files.result.files;
    const undated = { ...examples.list_files.result, files: [{ ...file, modified: 'today' }] };
    assert.throws(() => described.check('list_files', 200, headers, undated), /modified must match format "date-time"/);
  });

  const isOfHistory = (operation: string): boolean => operations.get(operation)?.toolset === 'history';
  const all = Object.entries(examples);

  it('has an accurate example of each operation, and of an error', () =>
    withExamples({}, async (server, answers, directory) => {
      for (const [operation, { params, result }] of all.filter(([name]) => !isOfHistory(name))) {
        prepare(directory);
        const here = 'directory' in result ? { ...result, directory } : result;
        assert.deepEqual(await post(server.url, operation, params, answers), here);
      }
      const { error } = await post(server.url, 'read_file', { name: 'missing.txt' }, answers);
      const { timestamp } = errorExample.error.data;
      assert.ok(typeof error === 'object' && error !== null && 'data' in error && typeof error.data === 'object');
      assert.deepEqual({ error: { ...error, data: { ...error.data, timestamp } } }, errorExample);
    }));

  for (const [operation, { params, result }] of all.filter(([name]) => isOfHistory(name))) {
    it(`has an accurate example of ${operation}, after an edit`, () =>
      withExamples({ history: true, caller: 'agent-7' }, async (server, answers, directory) => {
        prepare(directory);
        const edits = [{ old_string: 'two', new_string: 'TWO' }];
        await post(server.url, 'apply_edits', { path: 'notes.txt', edits }, answers);
        assert.deepEqual(withoutTimes(await post(server.url, operation, params, answers)), withoutTimes(result));
      }));
  }
});

/** Lend a server, and what its document says of answers. */
async function withExamples(
  options: object,
  use: (server: HttpServer, answers: DescribedAnswers, directory: string) => Promise<void>,
): Promise<void> {
  await withDirectory({}, async (directory) => {
    const server = await startHttpServer(directory, { toolset: 'all', ...options });
    try {
      await use(server, await DescribedAnswers.of(server.url), directory);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });
}

/** Times of changes differ each time. */
function withoutTimes(result: object): unknown {
  return JSON.parse(JSON.stringify(result, (name, value: unknown) => (name === 'time' ? '' : value)));
}

/** @param path member names separated by dots */
function memberAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : at), value);
}

/** The directory used by the examples (src/protocols/pages/examples.ts). */
function prepare(directory: string): void {
  emptyDirectory(directory);
  mkdirSync(join(directory, 'drafts'));
  writeFileSync(join(directory, 'drafts/plan.md'), 'Plan A\n');
  writeFileSync(join(directory, 'notes.txt'), 'one\ntwo\nthree\n');
  for (const path of ['notes.txt', 'drafts/plan.md']) {
    utimesSync(join(directory, path), new Date(0), new Date('2026-01-02T03:04:05Z'));
  }
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
