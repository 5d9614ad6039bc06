/**
 * A call of each operation with its answer, for the OpenAPI document. A test runs them in a directory with two files:
 * notes.txt has the lines one, two and three, and drafts/plan.md the single line `Plan A`.
 */
import type { OperationName, Params, Results } from '../../core/operations.js';

export const examples: { readonly [Name in OperationName]: Example<Name> } = {
  list_files: {
    params: {},
    result: {
      files: [
        { name: 'notes.txt', size: 14, modified: '2026-01-02T03:04:05.000Z', readable: true, writable: true, lines: 3 },
      ],
      total_count: 1,
      directory: '/srv/files',
    },
  },
  read_file: {
    params: { name: 'notes.txt', start_line: 2, end_line: 3, return_hash: true },
    result: {
      content: 'two\nthree',
      total_lines: 3,
      range_requested: { start_line: 2, end_line: 3 },
      hash: '8ba6dab5185db767',
    },
  },
  edit_file: {
    params: {
      name: 'notes.txt',
      edits: [
        { line: 1, operation: 'insert', content: 'zero' },
        { line: 2, end_line: 3, operation: 'replace', content: 'TWO and THREE' },
      ],
      append: 'four',
      expected_hash: '8ba6dab5185db767',
      return_hash: true,
    },
    result: { success: true, lines_modified: 4, file_created: false, new_total_lines: 4, hash: '11ec5c4b8f78543f' },
  },
  view: {
    params: { path: 'drafts/plan.md' },
    result: { type: 'file', content: 'Plan A\n', encoding: 'utf-8', size: 7 },
  },
  create: {
    params: { path: 'drafts/new/idea.md', content: '# Idea\n', encoding: 'utf-8' },
    result: { success: true, path: 'drafts/new/idea.md' },
  },
  str_replace: {
    params: { path: 'drafts/plan.md', old_str: 'Plan A', new_str: 'Plan B', return_hash: true },
    result: { success: true, path: 'drafts/plan.md', hash: '623ac2d387893b37' },
  },
  insert: {
    params: { path: 'drafts/plan.md', insert_line: 1, new_str: '# Plans\n' },
    result: { success: true, path: 'drafts/plan.md' },
  },
  delete: {
    params: { path: 'drafts/plan.md' },
    result: { success: true, path: 'drafts/plan.md' },
  },
  rename: {
    params: { old_path: 'drafts/plan.md', new_path: 'plans/a.md' },
    result: { success: true, old_path: 'drafts/plan.md', new_path: 'plans/a.md' },
  },
  write: {
    params: { path: 'drafts/plan.md', content: 'Plan B\n', expected_hash: '*', return_hash: true },
    result: { success: true, path: 'drafts/plan.md', created: false, hash: '623ac2d387893b37' },
  },
  apply_edits: {
    params: { path: 'drafts/plan.md', edits: [{ old_string: 'Plan A', new_string: 'Plan B' }] },
    result: {
      success: true,
      path: 'drafts/plan.md',
      edits_applied: 1,
      total_replacements: 1,
      replacements: [{ edit: 1, count: 1, lines: [1] }],
      diff: '--- a/drafts/plan.md\n+++ b/drafts/plan.md\n@@ -1,1 +1,1 @@\n-Plan A\n+Plan B\n',
      dry_run: false,
    },
  },
  apply_changes: {
    params: {
      changes: [
        { path: 'drafts/plan.md', edits: [{ old_string: 'Plan A', new_string: 'Plan B' }] },
        { path: 'notes.txt', rename_to: 'notes/today.txt' },
        { path: 'notes/idea.md', content: '# Idea\n' },
      ],
    },
    result: {
      success: true,
      changes: [
        { path: 'drafts/plan.md', kind: 'edited', edits_applied: 1, total_replacements: 1 },
        { path: 'notes.txt', kind: 'renamed', new_path: 'notes/today.txt' },
        { path: 'notes/idea.md', kind: 'created' },
      ],
      files_changed: 3,
      diff: [
        'diff --git a/drafts/plan.md b/drafts/plan.md',
        '--- a/drafts/plan.md',
        '+++ b/drafts/plan.md',
        '@@ -1,1 +1,1 @@',
        '-Plan A',
        '+Plan B',
        'diff --git a/notes.txt b/notes/today.txt',
        'similarity index 100%',
        'rename from notes.txt',
        'rename to notes/today.txt',
        'diff --git a/notes/idea.md b/notes/idea.md',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/notes/idea.md',
        '@@ -0,0 +1,1 @@',
        '+# Idea',
        '',
      ].join('\n'),
      dry_run: false,
    },
  },
  grep: {
    params: { pattern: '^Plan', glob: '*.md' },
    result: {
      files: [{ path: 'drafts/plan.md', count: 1, matches: [{ line: 1, text: 'Plan A' }] }],
      total_matches: 1,
      total_files: 1,
      searched: 1,
      skipped: { binary: 0, too_large: 0, unreadable: 0 },
      truncated: false,
    },
  },
  glob: {
    params: { pattern: '*.md' },
    result: {
      files: [{ path: 'drafts/plan.md', size: 7, modified: '2026-01-02T03:04:05.000Z' }],
      total: 1,
      truncated: false,
    },
  },
  history: {
    params: { path: 'notes.txt', limit: 1 },
    result: {
      changes: [
        {
          id: 'a0',
          time: '2026-01-02T03:04:05.678Z',
          caller: 'agent-7',
          operation: 'apply_edits',
          files: [
            {
              path: 'notes.txt',
              kind: 'edited',
              before: { hash: '8ba6dab5185db767', size: 14 },
              after: { hash: '718888d11dfafd4d', size: 14 },
            },
          ],
        },
      ],
      last: 'a0',
      truncated: false,
    },
  },
  undo: {
    params: { changes: ['a0'] },
    result: {
      success: true,
      change_id: 'b7x',
      changes: [{ path: 'notes.txt', kind: 'edited' }],
      files_changed: 1,
      diff: 'diff --git a/notes.txt b/notes.txt\n--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n one\n-TWO\n+two\n three\n',
      dry_run: false,
      undone: ['a0'],
    },
  },
};

interface Example<Name extends OperationName> {
  readonly params: Params[Name];
  readonly result: Results[Name];
}

/** The answer of read_file for missing.txt. */
export const errorExample = {
  error: {
    code: -32001,
    message: "File 'missing.txt' not found",
    data: {
      filename: 'missing.txt',
      operation: 'read_file',
      timestamp: '2026-01-02T03:04:05.678Z',
      details: 'Call list_files to see which files exist.',
    },
  },
};
