/**
 * The published lists of operations, tools and flags. Elsewhere tests derive such lists from the tables of the code; here
 * those tables are held against the specification, which says what is missing from either.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allFlags } from '../../src/config/flags.js';
import { toolsets } from '../../src/config/offer.js';
import { createMcp } from '../../src/protocols/mcp/mcp.js';
import { historyLimits, offered } from '../operations/offered.js';
import { testConfig } from '../transports/http/harness.js';
import { tableOf } from './markdown.js';
import { codeSpans, page } from './newcomer.js';

interface ListedTool {
  readonly name: string;
  readonly annotations: Readonly<Record<string, boolean>>;
}

async function toolsListed(): Promise<readonly ListedTool[]> {
  const mcp = createMcp({
    config: testConfig({ toolsets, history: historyLimits }),
    call: () => assert.fail('a list calls nothing'),
  });
  const reply = await mcp.answer({ id: 1, method: 'tools/list', params: {} }, { front: 'rest', requestId: 'r' });
  assert.ok(reply !== null && 'result' in reply);
  const { tools } = JSON.parse(reply.result.join('')) as { tools: ListedTool[] };
  return tools;
}

const specification = page('docs/specification.md');

describe('the tables of docs/specification.md', () => {
  it('list the operations of each toolset', () => {
    assert.deepEqual(
      tableOf(specification, 'toolset | operations | which of them write').map(([toolset = '', names = '']) => [
        codeSpans(toolset)[0],
        codeSpans(names),
      ]),
      toolsets.map((toolset) => [toolset, offered([toolset], false, historyLimits)]),
    );
  });

  it('give the hints that clients are told of each tool', async () => {
    const listed = Object.fromEntries(
      (await toolsListed()).map(
        ({ name, annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } }) => {
          assert.deepEqual([idempotentHint, openWorldHint], [readOnlyHint, false], name);
          return [name, [String(readOnlyHint), String(destructiveHint)]];
        },
      ),
    );
    const written = tableOf(specification, 'tool | `readOnlyHint` | `destructiveHint`').flatMap(
      ([names = '', ...hints]) => codeSpans(names).map((name) => [name, hints]),
    );
    assert.deepEqual(Object.fromEntries(written), listed);
  });

  it('list every flag with its default', () => {
    const written = tableOf(specification, 'flag | default | accepts | meaning').flatMap(([names = '', preset = '']) =>
      codeSpans(names).map((name) => [name, codeSpans(preset)[0]] as const),
    );
    const defaults = new Map(written);
    const names = allFlags.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
    const known = [...names, 'help', 'version'].map((name) => `--${name}`);
    assert.deepEqual(
      known.filter((name) => !defaults.has(name)),
      [],
      'flags without a row',
    );
    assert.deepEqual(
      [...defaults.keys()].filter((name) => !known.includes(name)),
      [],
      'rows without a flag',
    );
    for (const { name, placeholder, otherwise, fallback } of allFlags) {
      if (placeholder === undefined || otherwise !== undefined || fallback === undefined || name === 'workers')
        continue;
      assert.equal(defaults.get(`--${name}`), String(fallback), name);
    }
  });
});
