import { historyLimits } from '../operations/offered.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { codeOf, errorKindNames, errorKinds, failure, type ErrorKindName } from '../../src/core/errors.js';
import { operations } from '../../src/core/operations.js';
import { availableOperations, whyAbsent } from '../../src/config/offer.js';
import { validate } from '../../src/call/validation/index.js';
import { assertDescribed } from '../fronts/described-results.js';
import { allCases } from '../operations/cases.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const errors = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

describe('the table of operations', () => {
  for (const [name, row] of operations) {
    describe(name, () => {
      it('is tested by cases that succeed and cases that fail', () => {
        const own = allCases.filter((test) => test.call[0] === name);
        assert.ok(
          own.some((test) => test.error === undefined),
          `no case of ${row.name} that succeeds in test/operations/cases.ts`,
        );
        assert.ok(
          own.some((test) => test.error !== undefined),
          `no case of ${row.name} that fails in test/operations/cases.ts`,
        );
      });

      it('has a case that checks verbatim what models are told', () => {
        const told = allCases.filter((test) => test.call[0] === name && test.told !== undefined);
        assert.ok(told.length > 0, `no case of ${row.name} with what a model is told (\`told\`)`);
      });

      it('has a row in the README', () => {
        assert.match(readme, new RegExp(`^\\| \`${name}\` \\| [^|]+ \\|$`, 'm'), 'under "Operations"');
      });

      it('has a compiled validator that refuses unknown parameters', () => {
        const refused = validate(row, { there_is_no_such_parameter: 1 });
        assert.equal(refused?.kind, 'invalid_params');
      });

      it('describes itself and each parameter', () => {
        assert.match(row.description, /\.$/);
        for (const [parameter, schema] of Object.entries(row.params.properties ?? {})) {
          assert.match(schema.description ?? '', /\.$/, parameter);
        }
      });

      it('does not exist on a read-only server if it writes', () => {
        assert.equal(
          availableOperations({ toolsets: [row.toolset], readOnly: true, history: historyLimits }).has(name),
          !row.writes,
        );
      });

      it('is reported absent there because it writes, whatever the toolset: a server with only such tools cannot start', () => {
        for (const toolset of ['files', row.toolset] as const) {
          const told = whyAbsent(name, { toolsets: [toolset], readOnly: true }) ?? '';
          assert.equal(/^\w+ writes, and this server was started with --read-only\.$/.test(told), row.writes, told);
        }
      });

      it('names one of its own parameters as the file', () => {
        if (row.filename !== undefined) assert.equal(row.params.properties?.[row.filename]?.type, 'string');
      });
    });
  }

  it('has results whose formats are checked in all cases', () => {
    const file = { name: 'a.txt', size: 0, readable: true, writable: true, lines: 0 };
    const listed = (modified: string) => ({ files: [{ ...file, modified }], total_count: 1, directory: '/srv' });
    assertDescribed('list_files', listed('2025-06-04T10:30:00.500Z'));
    for (const wrong of ['', '2025-06-04', 'Wed, 04 Jun 2025 10:30:00 GMT', '2025-02-30T10:30:00Z']) {
      assert.throws(() => assertDescribed('list_files', listed(wrong)), /modified must match format "date-time"/);
      assert.throws(() => assertDescribed('list_files', listed(wrong), false), /date-time/);
    }
    assert.throws(() => assertDescribed('list_files', { files: [] }), /required property 'total_count'/);
    assertDescribed('list_files', { files: [] }, false);
  });

  it('is no object: inherited names are no operations', () => {
    for (const name of ['constructor', '__proto__', 'toString']) assert.equal(operations.get(name), undefined);
  });
});

describe('the toolset agent', () => {
  const offered = (readOnly: boolean): string[] => [...availableOperations({ toolsets: ['agent'], readOnly }).keys()];

  it('has what a coding agent needs, and of it what reads on a read-only server', () => {
    assert.deepEqual(offered(false), ['view', 'delete', 'rename', 'grep', 'glob', 'write', 'apply_changes']);
    assert.deepEqual(offered(true), ['view', 'grep', 'glob']);
  });

  it('is named beside the toolset of what it lacks', () => {
    const told = whyAbsent('insert', { toolsets: ['agent'], readOnly: false });
    assert.equal(told, 'Start the server with --toolset=agent,storage (or all) to have insert.');
  });
});

describe('the registry of errors', () => {
  const codeOfKind = (kind: ErrorKindName): number => codeOf(failure(kind, ''));

  it('gives each kind a JSON-RPC code, an HTTP status and a sentence of advice', () => {
    for (const name of errorKindNames) {
      const code = codeOfKind(name);
      const { status, advice } = errorKinds[name];
      assert.ok(code <= -32000 && code >= -32768, name);
      assert.ok(status >= 400 && status < 600, name);
      assert.match(advice, /^[A-Z].*\.$/, name);
    }
  });

  it('uses no code that docs/errors.md does not explain', () => {
    for (const name of errorKindNames) {
      const code = String(codeOfKind(name));
      const status = String(errorKinds[name].status);
      const lines = errors.split('\n').filter((line) => line.startsWith(`| ${code} |`));
      assert.ok(
        lines.some((line) => line.includes(status)),
        `${code} with ${status}`,
      );
    }
  });
});
