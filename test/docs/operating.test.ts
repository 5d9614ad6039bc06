/** docs/operating.md explains every figure that operators get. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withExampleServer } from './http-examples.js';
import { codeSpans, page } from './newcomer.js';

describe('docs/operating.md', () => {
  it('explains every figure of /metrics', () =>
    withExampleServer(async (url) => {
      await fetch(`${url}/read_file`, { method: 'POST' });
      const figures = await (await fetch(`${url}/metrics`)).text();
      const names = Array.from(figures.matchAll(/^# TYPE (?:file_editor_)?(\S+)/gm), ([, name = '']) => name);
      const explained = new Set(codeSpans(page('docs/operating.md')));
      assert.ok(names.length > 20);
      assert.deepEqual(
        names.filter((name) => !explained.has(name)),
        [],
      );
    }));
});
