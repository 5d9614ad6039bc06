/** docs/tools.md says of each operation what the table of operations says, and its examples are answered as it shows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asToldBy } from '../../src/core/path-failure.js';
import { failure, statusOf } from '../../src/core/errors.js';
import { expectsHash, operations, type Operation, type Schema } from '../../src/core/operations.js';
import { reasons } from '../../src/core/reasons.js';
import { assertAnswered, httpBlocks, withExampleServer } from './http-examples.js';
import { sectionsOf, tableOf } from './markdown.js';
import { codeSpans, page } from './newcomer.js';

const sections = sectionsOf(page('docs/tools.md'));

function sectionOf({ name }: Operation): string {
  const section = sections.get(name);
  assert.ok(section !== undefined, `no section "## ${name}"`);
  return section;
}

/** Each member of a schema as a row has it, with those of what it holds. */
function members({ properties = {}, required = [] }: Schema, prefix = ''): [string, string][] {
  return Object.entries(properties).flatMap(([name, schema]): [string, string][] => {
    const path = `${prefix}${name}`;
    const row: [string, string] = [`\`${path}${required.includes(name) ? '' : '?'}\``, typeOf(schema)];
    const { items } = schema;
    return [row, ...(items === undefined ? members(schema, `${path}.`) : members(items, `${path}[].`))];
  });
}

function typeOf(schema: Schema): string {
  const { type, items, minimum, maximum, minItems, maxItems } = schema;
  const values =
    schema.enum?.map((value) => `"${value}"`) ?? (schema.const === undefined ? [] : [String(schema.const)]);
  const described = [
    values.length > 0 ? values.map((value) => `\`${value}\``).join(' or ') : type,
    items === undefined ? '' : ` of ${items.type}s`,
    minimum === undefined ? '' : `, from ${String(minimum)}`,
    maximum === undefined ? '' : ` to ${String(maximum)}`,
    minItems === undefined ? '' : `, at least ${String(minItems)}`,
    maxItems === undefined ? '' : `, at most ${String(maxItems)}`,
    schema.default === undefined ? '' : `, default \`${schema.default === '' ? '""' : String(schema.default)}\``,
  ];
  return described.join('');
}

/** As cells of tables. A conflict is a failed precondition if it is about a hash. */
function statusesOf(error: string): string[] {
  return Object.entries(reasons)
    .filter(([reason]) => error === `\`${reason}\``)
    .flatMap(([reason, { status }]) => (reason === 'conflict' ? [String(status), '412'] : [String(status)]));
}

const firstTwoCells = (rows: readonly string[][]): string[][] => rows.map((cells) => cells.slice(0, 2));

describe('docs/tools.md', () => {
  it('lists the operations with their toolsets, and has a section for each, in the order of the table', () => {
    const listed = tableOf(page('docs/tools.md'), 'operation | what it does | toolset').map(
      ([name = '', , toolset]) => [codeSpans(name)[0], toolset],
    );
    assert.deepEqual(
      listed,
      Array.from(operations.values(), ({ name, toolset }) => [name, `\`${toolset}\``]),
    );
    assert.deepEqual(
      [...sections.keys()].filter((title) => operations.has(title)),
      [...operations.keys()],
    );
  });

  for (const [name, row] of operations) {
    it(`has every parameter of ${name} with its type, its default and whether it may be left out`, () => {
      const expected = members(row.params);
      const section = sectionOf(row);
      if (expected.length === 0) assert.match(section, /^It takes no parameters/m);
      else assert.deepEqual(firstTwoCells(tableOf(section, 'parameter | type | meaning')), expected);
    });

    it(`has every member of the result of ${name}`, () => {
      assert.deepEqual(firstTwoCells(tableOf(sectionOf(row), 'member | type | meaning')), members(row.result));
    });

    it(`has the errors that only ${name} and its like can answer`, () => {
      const told = tableOf(sectionOf(row), 'error | HTTP | when').map(([error = '', status = '']) => ({
        error,
        status,
      }));
      for (const kind of [...(row.ownFailures ?? []), ...(expectsHash(row) ? (['changed'] as const) : [])]) {
        const failed = asToldBy(row, {}, failure(kind, ''));
        const { reason } = failed.data ?? {};
        assert.ok(
          told.some(
            ({ error, status }) =>
              status.includes(String(statusOf(failed))) && (reason === undefined || error === `\`${reason}\``),
          ),
          kind,
        );
      }
    });
  }

  it('gives each reason the status that it has', () => {
    for (const [name, { paths }] of operations) {
      if (paths === undefined) continue;
      for (const [error = '', status = ''] of tableOf(sections.get(name) ?? '', 'error | HTTP | when')) {
        assert.ok(statusesOf(error).includes(status), `${name}: ${error} ${status}`);
      }
    }
  });

  const answersAsItSays = async (url: string, section: string, title: string): Promise<void> => {
    const exchanges = httpBlocks(section).flat();
    if (operations.has(title)) {
      assert.ok(
        exchanges.some(({ request, answer }) => request.start === `POST /${title}` && answer.start === '200'),
        `no example of ${title}`,
      );
    }
    for (const exchange of exchanges) await assertAnswered(url, exchange);
  };
  const isOfHistory = (title: string): boolean => operations.get(title)?.toolset === 'history';

  it('shows calls of each operation that are answered as it says', () =>
    withExampleServer(async (url, reset) => {
      for (const [title, section] of sections) {
        if (isOfHistory(title)) continue;
        reset();
        await answersAsItSays(url, section, title);
      }
    }));

  it('shows calls of the history that are answered as it says', async () => {
    // Each has a server of its own: ids go on even where another program has removed the history.
    for (const [title, section] of sections) {
      if (!isOfHistory(title)) continue;
      await withExampleServer(
        (url, reset) => {
          reset();
          return answersAsItSays(url, section, title);
        },
        { history: true },
      );
    }
  });
});

describe('docs/errors.md', () => {
  it('lists every reason with its code and its status', () => {
    const listed = tableOf(page('docs/errors.md'), '`data.reason` | code | HTTP').flatMap(
      ([names = '', code, status = '']) =>
        codeSpans(names).map((reason, index) => [reason, code, statusAt(status, index)]),
    );
    const expected = Object.entries(reasons).map(([reason, { code = -32001, status }]) => [
      reason,
      String(code),
      reason === 'conflict' ? '412' : String(status),
    ]);
    assert.deepEqual(listed.sort(), expected.sort());
  });
});

/** The number in a cell that has one for all, or one for each after a comma. */
function statusAt(cell: string, index: number): string | undefined {
  const numbers = cell.match(/^\d+(?:, \d+)*/)?.[0].split(', ') ?? [];
  return numbers.length === 1 ? numbers[0] : numbers[index];
}
