/** What the README shows of the program is what the program does: its first screen, an agent at work, its speed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { figure } from '../../bench/report/table.js';
import type { Result } from '../../bench/report/results.js';
import { withDirectory } from '../directory.js';
import { connections } from '../fronts/mcp.js';
import { fencedBlocks, matching, page, withQuickStart } from './newcomer.js';

const readme = page('README.md');

/** Rows of the record, by their titles in the README. */
const shown = new Map([
  ['one agent: spawn to first result', 'one agent: spawn to first result'],
  ['first call, after 3 s of thought: read', 'first call, after 3 s of thought: read'],
  ['first call, after 3 s of thought: edit, not synced', 'first call, after 3 s of thought: edit, not synced'],
  ['one agent: warm reads', 'one agent: warm reads'],
  ['one agent: warm edits, not synced', 'one agent: warm edits, not synced'],
  ['after 10 s of thought: edit, not synced', 'edit after 10 s idle, not synced'],
  ['1 MB edit, stdio', '1 MB edit, stdio'],
  ['1 KB reads, stdio, 10 in flight', '1 KB reads, stdio, 10 in flight'],
  ['after 10 s of thought: read', 'read after 10 s idle'],
  ['one agent: first call', 'first call, right after `initialize`'],
  ['one agent: warm edits', 'one agent: warm edits'],
]);

const [screen = '', transcript = ''] = fencedBlocks(readme, 'text');

describe('the README', () => {
  it('says what it is and how to start and test it in its first twenty lines', () => {
    const first = readme.split('\n').slice(0, 20).join('\n');
    assert.deepEqual(fencedBlocks(first, 'sh'), ['npm ci && npm start\n', 'npm ci && npm test\n']);
  });

  it('shows what npm start prints', async () => {
    const printed = await withQuickStart(async (port) => {
      assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
    });
    assert.match(printed.replace(/:\d+/g, ':8080'), matching(screen));
  });

  it('shows an agent at work as it is', () => {
    const turns = transcript.split(/^→ /m).filter((turn) => turn !== '');
    return withDirectory({ 'app.js': 'if (ready) {\n\tstart();\n}\n' }, async (directory) => {
      const options = { toolset: 'agent', mcpTextOnly: true };
      const { client, end } = await connections['sdk 1.x over stdio'](directory, options);
      try {
        for (const turn of turns) {
          const [, name = '', args = ''] = /^(\w+) (.*)$/m.exec(turn) ?? [];
          const parameters = JSON.parse(args) as Record<string, unknown>;
          const { content } = await client.callTool({ name, arguments: parameters });
          assert.deepEqual(content, [{ type: 'text', text: answerIn(turn) }], turn);
        }
      } finally {
        await end();
      }
    });
  });

  it('gives the speed that the last recorded run of npm run bench has measured', () => {
    const { results } = JSON.parse(readFileSync(new URL('../../docs/bench.json', import.meta.url), 'utf8')) as {
      readonly results: readonly Result[];
    };
    for (const [name, title] of shown) {
      const [row = ''] = readme.match(new RegExp(`^\\| ${title} \\|.*$`, 'm')) ?? [];
      const recorded = results.find((each) => each.name === name);
      for (const side of [recorded?.own, recorded?.baseline]) {
        assert.ok(side);
        assert.ok(row.includes(` ${figure(side.value, side.unit)}`), `${row} lacks ${figure(side.value, side.unit)}`);
      }
    }
  });
});

/** The answer of a turn, without its arrows. */
function answerIn(turn: string): string {
  const lines = [...turn.matchAll(/^←(?: (.*))?$/gm)].map(([, line = '']) => line);
  return lines.join('\n');
}
