/** Spec 17 and 18: the text of the history for a model, and its pages. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Failure, Success } from '../../../../src/core/errors.js';
import { historyTool } from '../../../../src/protocols/mcp/tools/history.js';
import { undoTool } from '../../../../src/protocols/mcp/tools/undo.js';
import type { Presentation, Presented } from '../../../../src/protocols/mcp/tools/tool.js';

const usual: Presentation = { lineBase: 0, names: 'portable', maxChars: 0, maxBytes: Infinity, textOnly: false };

const change = (number: number, more: object = {}): object => ({
  id: `a${String(number)}`,
  time: '2026-11-28T10:00:01.234Z',
  caller: 'agent-7',
  operation: 'apply_changes',
  files: [
    { path: `src/${String(number)}.ts`, kind: 'edited' },
    { path: 'b.ts', kind: 'renamed', new_path: 'c.ts', changed_outside: true },
  ],
  ...more,
});

function found(changes: readonly object[], more: object = {}): Success {
  return { ok: true, result: { changes, last: 'a9', truncated: false, ...more } };
}

function told(presented: Presented | Failure): { text: string; structured: Record<string, unknown> } {
  assert.ok(!('ok' in presented), JSON.stringify(presented));
  const join = (parts: Presented['text']): unknown =>
    JSON.parse(Buffer.concat(parts.map((part) => Buffer.from(part))).toString());
  return { text: String(join(presented.text)), structured: join(presented.structured) as Record<string, unknown> };
}

describe('the history', () => {
  it('is a line a change', () => {
    const changes = [change(1, { undone_by: 'a3' }), change(0, { caller: undefined })];
    assert.equal(
      told(historyTool.present(found(changes), {}, usual)).text,
      [
        'a1 2026-11-28 10:00:01 agent-7 apply_changes: edited src/1.ts, renamed b.ts -> c.ts (after another program) (undone by a3)',
        'a0 2026-11-28 10:00:01 - apply_changes: edited src/0.ts, renamed b.ts -> c.ts (after another program)',
      ].join('\n'),
    );
  });

  it('says that there is nothing, that older changes are forgotten, and how to go on', () => {
    assert.equal(told(historyTool.present(found([]), {}, usual)).text, 'No changes.');
    const feed = found([change(1)], { gap: true });
    assert.match(
      told(historyTool.present(feed, { after: 'a0' }, usual)).text,
      /^\[Older changes are forgotten\.\]\na1 .*\n\[Go on with after "a9"\.\]$/,
    );
    const cut = found([change(2), change(1)], { truncated: true });
    assert.match(told(historyTool.present(cut, {}, usual)).text, /\n\[More is left\. Go on with before "a1"\.\]$/);
  });

  const many = Array.from({ length: 9 }, (_, number) => change(number));

  it('is cut to a page, after which it goes on', () => {
    const page = { ...usual, maxChars: 500 };
    const newest = told(historyTool.present(found(many.toReversed()), {}, page));
    assert.ok(newest.text.length <= 500, newest.text);
    assert.match(newest.text, /Go on with before "a6"\.\]$/);
    assert.deepEqual(newest.structured, { changes: many.slice(6).toReversed(), last: 'a9', truncated: true });
    const feed = told(historyTool.present(found(many), { after: '' }, page));
    assert.match(feed.text, /Go on with after "a2"\.\]$/);
    assert.deepEqual(feed.structured, { changes: many.slice(0, 3), last: 'a2', truncated: true });
  });

  it('counts the files of a change that is too long for a page', () => {
    const files = Array.from({ length: 100 }, (_, number) => ({ path: `src/${String(number)}.ts`, kind: 'edited' }));
    const { text, structured } = told(
      historyTool.present(found([change(1, { files })]), {}, { ...usual, maxChars: 500 }),
    );
    assert.ok(text.length <= 500, text);
    assert.match(text, /: edited src\/0\.ts, .*, edited src\/1\d\.ts, and 8\d more files$/);
    assert.ok(JSON.stringify(structured).includes('src/99.ts'));
    const nothing = told(historyTool.present(found([change(1, { files: [] })]), {}, usual));
    assert.match(nothing.text, / apply_changes: no files$/);
  });

  it('is cut to what fits into a message; one change that does not is refused', () => {
    const { structured } = told(historyTool.present(found(many), {}, { ...usual, maxBytes: 1_500 }));
    assert.ok(Array.isArray(structured['changes']) && structured['changes'].length === 4);
    const refused = historyTool.present(found(many), {}, { ...usual, maxBytes: 100 });
    assert.ok('ok' in refused && refused.kind === 'too_large');
  });
});

describe('an undo', () => {
  it('names the changes that it has taken back, above what became of the files', () => {
    const success: Success = {
      ok: true,
      result: {
        success: true,
        changes: [{ path: 'a.txt', kind: 'edited' }],
        files_changed: 1,
        diff: '',
        dry_run: false,
        undone: ['k3f9'],
      },
      forModel: { undone: ['k3f9 (agent-7, apply_changes)'] },
    };
    const { text } = told(undoTool.present(success, { changes: ['k3f9'] }, usual));
    assert.match(text, /^Undone: k3f9 \(agent-7, apply_changes\)\n/);
  });
});
