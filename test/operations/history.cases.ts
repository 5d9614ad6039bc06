/** The history, and taking back (spec 18). What is recorded: test/history. */
import { type Case, invalidParams, withOptions } from './case.js';
import { content, Recorded } from './recorded.js';

/** Their times stay the same, so they must not become too old. */
const options = { toolset: 'all', history: true, historyDays: 3650 };

const [first, second, third] = ['one\ntwo\nthree\n', 'one\nTWO\nthree\n', 'one\nTWO\nthree\nfour\n'];

/** agent-7 has changed a line, and somebody without a name has added one and moved another file. */
const recorded = new Recorded()
  .with(
    {
      caller: 'agent-7',
      operation: 'apply_edits',
      files: [
        {
          path: 'a.txt',
          kind: 'edited',
          before: content(first),
          after: content(second),
          put: [[4, 7, 'TWO']],
          kept: 'k1',
        },
      ],
    },
    { k1: first },
  )
  .with(
    {
      operation: 'apply_changes',
      files: [
        {
          path: 'a.txt',
          kind: 'edited',
          before: content(second),
          after: content(third),
          put: [[14, 14, 'four\n']],
          kept: 'k2',
        },
        { path: 'b.txt', kind: 'renamed', new_path: 'c/b.txt', before: content('b'), after: content('b'), made: 1 },
      ],
    },
    { k2: second },
  );

const before = { 'a.txt': third, 'c/b.txt': 'b' };
const prepare = recorded.write;
const [edit = '', more = ''] = recorded.ids;

const toldEdit = {
  id: edit,
  time: '2026-01-02T03:04:00.678Z',
  caller: 'agent-7',
  operation: 'apply_edits',
  files: [{ path: 'a.txt', kind: 'edited', before: content(first), after: content(second) }],
};
const toldMore = {
  id: more,
  time: '2026-01-02T03:04:01.678Z',
  operation: 'apply_changes',
  files: [
    { path: 'a.txt', kind: 'edited', before: content(second), after: content(third) },
    { path: 'b.txt', kind: 'renamed', new_path: 'c/b.txt', before: content('b'), after: content('b') },
  ],
};
const lineOfEdit = `${edit} 2026-01-02 03:04:00 agent-7 apply_edits: edited a.txt`;
const lineOfMore = `${more} 2026-01-02 03:04:01 - apply_changes: edited a.txt, renamed b.txt -> c/b.txt`;

const readingCases: readonly Case[] = [
  {
    title: 'tells who changed what, newest first',
    call: ['history', {}],
    result: { changes: [toldMore, toldEdit], last: more, truncated: false },
    told: `${lineOfMore}\n${lineOfEdit}`,
  },
  {
    title: 'tells of a path by its new name, or of all below a directory',
    call: ['history', { path: 'c' }],
    result: { changes: [toldMore], last: more, truncated: false },
    told: lineOfMore,
  },
  {
    title: 'tells of one caller',
    call: ['history', { caller: 'agent-7' }],
    result: { changes: [toldEdit], last: more, truncated: false },
    told: lineOfEdit,
  },
  {
    title: 'gives so many changes, and says how to go on',
    call: ['history', { limit: 1 }],
    result: { changes: [toldMore], last: more, truncated: true },
    told: `${lineOfMore}\n[More is left. Go on with before "${more}".]`,
  },
  {
    title: 'goes on before a change',
    call: ['history', { before: more }],
    result: { changes: [toldEdit], last: more, truncated: false },
    told: lineOfEdit,
  },
  {
    title: 'with after, gives those since then, oldest first, and where to go on',
    call: ['history', { after: '', limit: 1 }],
    result: { changes: [toldEdit], last: edit, truncated: true },
    told: `${lineOfEdit}\n[Go on with after "${edit}".]`,
  },
  {
    title: 'is a feed: nothing is new after the last change',
    call: ['history', { after: more }],
    result: { changes: [], last: more, truncated: false },
    told: `No changes.\n[Go on with after "${more}".]`,
  },
  {
    title: 'says that it begins later than asked',
    call: ['history', { after: 'zzz', limit: 1 }],
    result: { changes: [toldEdit], last: edit, truncated: true, gap: true },
    told: `[Older changes are forgotten.]\n${lineOfEdit}\n[Go on with after "${edit}".]`,
  },
  {
    title: 'is empty as long as nothing was changed',
    prepare: () => undefined,
    call: ['history', { path: 'a.txt' }],
    result: { changes: [], last: '', truncated: false },
    told: 'No changes.',
  },
  {
    title: 'refuses what cannot be an id',
    call: ['history', { before: 'yesterday' }],
    error: {
      ...invalidParams('Invalid params: /before is not an id of a change', /an id that history has returned/),
      data: { reason: 'invalid_params' },
    },
  },
  {
    title: 'a view shows a file as it was before a change',
    call: ['view', { path: 'a.txt', before_change: more }],
    result: { type: 'file', content: second, encoding: 'utf-8', size: 14 },
  },
  {
    title: 'a view shows lines of it',
    call: ['view', { path: 'a.txt', before_change: edit, start_line: 2, end_line: 2 }],
    result: {
      type: 'file',
      content: 'two\n',
      encoding: 'utf-8',
      size: 14,
      total_lines: 3,
      range_requested: { start_line: 2, end_line: 2 },
    },
  },
  {
    title: 'a view refuses a file that the change did not replace',
    call: ['view', { path: 'c/b.txt', before_change: edit }],
    error: {
      code: -32001,
      status: 404,
      message: `Not in the history: 'c/b.txt' before ${edit}`,
      details: /^Send the id of a change of this file/,
      data: { reason: 'not_in_history', path: 'c/b.txt' },
    },
  },
];

const diffOfUndo =
  'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n one\n-TWO\n+two\n three\n four\n';

/** What undoing the first edit answers, and leaves. */
const editUndone = {
  success: true,
  change_id: recorded.next,
  changes: [{ path: 'a.txt', kind: 'edited' }],
  files_changed: 1,
  diff: diffOfUndo,
  dry_run: false,
  undone: [edit],
};
const withoutEdit = { 'a.txt': 'one\ntwo\nthree\nfour\n', 'c/b.txt': 'b' };

const undoCases: readonly Case[] = [
  {
    title: 'takes a change back and leaves what came later',
    call: ['undo', { changes: [edit] }],
    result: editUndone,
    told: `Undone: ${edit} (agent-7, apply_edits)\nedited a.txt\n\n${diffOfUndo}`,
    after: withoutEdit,
  },
  {
    title: 'only says what it would do',
    call: ['undo', { changes: [edit], dry_run: true, return_hash: true }],
    result: {
      success: true,
      changes: [{ path: 'a.txt', kind: 'edited', hash: content('one\ntwo\nthree\nfour\n').hash }],
      files_changed: 1,
      diff: diffOfUndo,
      dry_run: true,
      undone: [edit],
    },
    told: `Would undo: ${edit} (agent-7, apply_edits)\nwould edit a.txt\n\n${diffOfUndo}`,
  },
  {
    title: 'takes back several changes, and removes a directory that was made on the way',
    call: ['undo', { changes: [edit, more] }],
    result: {
      success: true,
      change_id: recorded.next,
      changes: [
        { path: 'a.txt', kind: 'edited' },
        { path: 'c/b.txt', kind: 'renamed', new_path: 'b.txt' },
      ],
      files_changed: 2,
      diff: /^diff --git a\/a\.txt b\/a\.txt\n/,
      dry_run: false,
      undone: [more, edit],
    },
    after: { 'a.txt': first, 'b.txt': 'b' },
  },
  {
    title: 'takes back the last changes of the caller',
    options: { ...options, caller: 'agent-7' },
    call: ['undo', { last: 5 }],
    result: editUndone,
    after: withoutEdit,
  },
  {
    title: 'has nothing to take back for a caller who has changed nothing',
    options: { ...options, caller: 'agent-8' },
    call: ['undo', { last: 1 }],
    error: {
      code: -32001,
      status: 404,
      message: 'Not in the history: no change of yours that is not undone',
      data: { reason: 'not_in_history' },
    },
  },
  {
    title: 'refuses an id that is not there',
    call: ['undo', { changes: [edit, 'b99'] }],
    error: { code: -32001, status: 404, message: 'Not in the history: b99', data: { reason: 'not_in_history' } },
  },
  {
    title: 'does not touch lines that were changed since, and says by whom',
    before: { ...before, 'a.txt': 'one\ntwo and more\nthree\nfour\n' },
    call: ['undo', { changes: [edit] }],
    error: {
      code: -32001,
      status: 409,
      message: `Cannot undo ${edit}: 'a.txt' was changed since, in lines of this change or next to them (line 2)`,
      details: /^Nothing was changed\. In the way is the change of another program\./,
      data: { reason: 'conflict', path: 'a.txt', line: 2 },
    },
  },
  {
    title: 'does not put a file back where another one is',
    before: { ...before, 'b.txt': 'other' },
    call: ['undo', { changes: [more] }],
    error: {
      code: -32001,
      status: 409,
      message: `Cannot undo ${more}: 'b.txt' is there again`,
      data: { reason: 'conflict', path: 'b.txt' },
    },
  },
  {
    title: 'refuses a file that is gone, and takes nothing else back',
    before: { 'a.txt': third },
    call: ['undo', { changes: [more] }],
    error: {
      code: -32001,
      status: 409,
      message: `Cannot undo ${more}: 'c/b.txt' is no longer there`,
      data: { reason: 'conflict', path: 'c/b.txt' },
    },
  },
  {
    title: 'needs ids or a number, and not both',
    call: ['undo', {}],
    error: {
      ...invalidParams('Invalid params: /changes is required', /^Expected changes, or last\./),
      data: { reason: 'invalid_params' },
    },
  },
  {
    title: 'refuses ids beside a number',
    call: ['undo', { changes: [edit], last: 1 }],
    error: {
      ...invalidParams('Invalid params: /last must not be beside changes', /^Send one of the two\./),
      data: { reason: 'invalid_params' },
    },
  },
];

export const historyCases: readonly Case[] = withOptions(
  options,
  [...readingCases, ...undoCases].map((each) => ({ before, prepare, ...each })),
);
