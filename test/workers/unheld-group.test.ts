/** Spec 6: edits of one file run in order, also if the answer of one has no room. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { applyEdits } from '../../workers/operations/apply-edits.js';
import { Progress } from '../../workers/progress.js';
import { withDirectory } from '../directory.js';
import { workspaceOf } from '../workspace.js';

it('what follows a call without room for its answer in its group is left for later', () =>
  withDirectory({ 'a.txt': 'a\n'.repeat(2_000) }, async (directory) => {
    const workspace = workspaceOf(directory);
    const stages = new Int32Array(new SharedArrayBuffer(12));
    const edits = [
      { old_string: 'missing', new_string: '' },
      { old_string: 'a', new_string: 'b', replace_all: true },
      { old_string: 'b', new_string: 'c', replace_all: true },
    ];
    const calls = edits.map((edit, slot) => ({
      operation: 'apply_edits' as const,
      params: { path: 'a.txt', edits: [edit] },
      context: { workspace, progress: new Progress(stages, slot), precondition: undefined, notices: [], room: 4_096 },
    }));
    workspace.root.refresh();
    const [missed, unheld, ...rest] = await applyEdits.together(calls);
    assert.equal(missed?.ok, false);
    assert.ok(unheld?.ok === null && 'needs' in unheld && unheld.needs > 4_096);
    assert.deepEqual(rest, []);
    assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'a\n'.repeat(2_000));
    workspace.close();
  }));
