/**
 * Text and structure of large and unusual results (spec 10); fronts/mcp.ts checks the exact text of usual ones for each
 * case.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entryKinds, type Failure, type Success } from '../../../../src/core/errors.js';
import { applyChangesTool } from '../../../../src/protocols/mcp/tools/apply-changes.js';
import { applyEditsTool } from '../../../../src/protocols/mcp/tools/apply-edits.js';
import { globTool } from '../../../../src/protocols/mcp/tools/glob.js';
import { grepTool } from '../../../../src/protocols/mcp/tools/grep.js';
import { listTool } from '../../../../src/protocols/mcp/tools/list.js';
import { readTool } from '../../../../src/protocols/mcp/tools/read.js';
import type { Presentation, Presented } from '../../../../src/protocols/mcp/tools/tool.js';
import { viewTool } from '../../../../src/protocols/mcp/tools/view.js';

const usual: Presentation = { lineBase: 0, names: 'portable', maxChars: 0, maxBytes: Infinity, textOnly: false };

function shown(presented: Presented | Failure): Presented {
  assert.ok(!('ok' in presented), JSON.stringify(presented));
  return presented;
}

/** The text, and the structure. */
function told(presented: Presented | Failure): [string, unknown] {
  const { text, structured } = shown(presented);
  const join = (parts: Presented['text']): unknown =>
    JSON.parse(Buffer.concat(parts.map((part) => Buffer.from(part))).toString());
  return [String(join(text)), join(structured)];
}

function texted(content: string, total: number): Success {
  const json = Buffer.from(JSON.stringify(content));
  return { ok: true, result: { content: json, total_lines: total }, hash: 'abc' };
}

describe('a list', () => {
  it('that is too long is refused', () => {
    const files = Buffer.from(JSON.stringify([file('a.txt', '2025-06-04T10:30:00Z', 42)]));
    const success = { ok: true, result: { files, total_count: 1, directory: '/d' } } as const;
    const refused = listTool.present(success, {}, { ...usual, maxBytes: 100 });
    assert.ok('ok' in refused && refused.kind === 'too_large');
  });

  const file = (name: string, modified: string, lines: number): object => {
    return { name, size: 7, modified, readable: true, writable: false, lines };
  };

  it('has one line for a name with line breaks, which could look like several', () => {
    const name = 'a\nname: b, modified: \u2028\u0085\t';
    const files = Buffer.from(JSON.stringify([file(name, '2025-06-04T10:30:00Z', 1)]));
    const success = { ok: true, result: { files, total_count: 1, directory: '/d' } } as const;
    const [text, structured] = told(listTool.present(success, {}, usual));
    assert.equal(
      text,
      'Files in directory:\n\nname: a\\nname: b, modified: \\u2028\\u0085\\t, modified: 2025-06-04T10:30:00Z, lines: 1\n\nTotal files: 1',
    );
    assert.ok(JSON.stringify(structured).includes(JSON.stringify(name)));
    const entries = { ok: true, result: { type: 'directory', entries: [name, 'c'] } } as const;
    assert.deepEqual(told(viewTool.present(entries, { path: '' }, usual))[0].split('\n').length, 2);
  });
});

describe('a read', () => {
  const name = 'a.txt';

  it('contains the bytes of its text once, unchanged, and never as a string', () => {
    const success = texted('x'.repeat(100_000), 1);
    const { text, structured } = shown(readTool.present(success, { name }, usual));
    const { content } = success.result;
    assert.ok(content instanceof Uint8Array);
    const [, bytes] = text;
    assert.ok(bytes instanceof Uint8Array && bytes.buffer === content.buffer);
    const others = [...text, ...structured].filter((part) => part !== bytes);
    assert.ok(others.every((part) => part.length < 200));
  });
});

describe('a read with --mcp-max-chars', () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index} é`);
  const limit = 1000;
  const limited = (
    params: { start_line?: number; end_line?: number },
    first = params.start_line ?? 1,
  ): [string, unknown] => {
    const content = lines.slice(first - 1, params.end_line).join('\n');
    return told(
      readTool.present(texted(content, lines.length), { name: 'a.txt', ...params }, { ...usual, maxChars: limit }),
    );
  };

  it('ends with a line that says how to continue, until everything has been read', () => {
    const seen: string[] = [];
    let next: number | undefined = 0;
    for (let rounds = 0; next !== undefined && rounds < 20; rounds++) {
      const [text, structured] = limited(next === 0 ? {} : { start_line: next + 1 });
      assert.ok(Array.from(text).length <= limit, `${Array.from(text).length} characters`);
      const { start_line, end_line } = structured as { start_line: number; end_line: number };
      assert.equal(start_line, next);
      assert.ok(text.startsWith(`File: a.txt (lines ${start_line}-${end_line} of 300 total)\n\n`), text.slice(0, 60));
      const body = text.slice(text.indexOf('\n\n') + 2);
      const [, shown = body, line] =
        /^([^]*)\n\n\[Only lines \d+-\d+ are above: .* Go on with start_line (\d+)\.\]$/.exec(body) ?? [];
      seen.push(...shown.split('\n'));
      assert.equal(seen.length, end_line + 1);
      next = line === undefined ? undefined : Number(line);
      const wasted = limit - Array.from(text).length;
      assert.ok(next === undefined || wasted < 20, `room for one more line: ${wasted} characters`);
    }
    assert.deepEqual(seen, lines);
  });

  it('retains nothing that it does not send', () => {
    // Too large for Node's pool of small buffers.
    const answer = texted(`${lines.join('\n')}\n`.repeat(100), 100 * lines.length);
    const { text } = shown(readTool.present(answer, { name: 'a.txt' }, { ...usual, maxChars: limit }));
    const { content } = answer.result;
    assert.ok(content instanceof Uint8Array);
    assert.ok(text.some((part) => typeof part !== 'string'));
    assert.ok(text.every((part) => typeof part === 'string' || part.buffer !== content.buffer));
  });

  it('keeps the requested end', () => {
    assert.match(limited({ start_line: 11, end_line: 200 })[0], /Go on with start_line \d+ and end_line 199\.\]$/);
  });

  it('sends what fits unchanged', () => {
    assert.equal(limited({ end_line: 2 })[0], 'File: a.txt (lines 0-1 of 300 total)\n\nline 0 é\nline 1 é');
  });

  it('does not cut a text of exactly the limit', () => {
    for (const params of [{}, { start_line: 1 }]) {
      const heading = 'start_line' in params ? 'File: a.txt (lines 0-1 of 2 total)\n\n' : 'File: a.txt (2 lines)\n\n';
      const textOf = (length: number): string => {
        const content = `x\n${'é'.repeat(length - heading.length - 2)}`;
        return told(
          readTool.present(texted(content, 2), { name: 'a.txt', ...params }, { ...usual, maxChars: limit }),
        )[0];
      };
      assert.ok(textOf(limit).startsWith(heading));
      assert.ok(textOf(limit).endsWith('é'));
      assert.match(textOf(limit + 1), /Go on with start_line 1\.\]$/);
    }
  });

  it('sends the beginning of an overlong line, and says so', () => {
    const long = (total: number, content: string): [string, unknown] =>
      told(readTool.present(texted(content, total), { name: 'a.txt' }, { ...usual, maxChars: limit }));
    const [text, structured] = long(2, `${'x'.repeat(5000)}\nnext`);
    assert.ok(text.length <= limit);
    assert.match(
      text,
      /^File: a\.txt \(lines 0-0 of 2 total\)\n\nx{500,}…\n\n\[Only the first \d+ characters of line 0 are above: .* Go on with start_line 1\.\]$/,
    );
    assert.deepEqual(structured, { name: 'a.txt', total_lines: 2, start_line: 0, end_line: 0, hash: 'abc' });
    assert.match(long(1, 'x'.repeat(5000))[0], /Do not replace this line: .* would be lost\.\]$/);
  });

  it('has room for the longest name and the largest numbers', () => {
    const total = Number.MAX_SAFE_INTEGER;
    const params = { name: 'n'.repeat(255), start_line: total - 9, end_line: total };
    const content = `${'x'.repeat(200)}\n`.repeat(10);
    const [text] = told(readTool.present(texted(content, total), params, { ...usual, lineBase: 1, maxChars: limit }));
    assert.ok(text.length <= limit, String(text.length));
  });
});

describe('a view', () => {
  const path = 'a.txt';
  const hash = 'abc';
  const file = (content: string, totalLines: number, more: object = {}): Success => ({
    ok: true,
    result: {
      content: Buffer.from(JSON.stringify(content)),
      type: 'file',
      encoding: 'utf-8',
      size: Buffer.byteLength(content),
      ...more,
    },
    hash,
    forModel: { totalLines },
  });
  const directory = (entries: string[], kinds: number[], hidden: number): Success => ({
    ok: true,
    result: { type: 'directory', entries },
    forModel: { kinds: Float64Array.from(kinds), hidden },
  });
  const textOf = (success: Success, params: { start_line?: number; end_line?: number } = {}): string =>
    told(viewTool.present(success, { path, ...params }, usual))[0];

  it('of a directory has a line for each entry, with its type', () => {
    const { directory: folder, other } = entryKinds;
    const success = directory(['a.txt', 'b', 'c\nd', 'one', 'pipe'], [4812, folder, 0, 1, other], 3);
    assert.deepEqual(told(viewTool.present(success, { path }, usual)), [
      'a.txt (4812 bytes)\nb/\nc\\nd (0 bytes)\none (1 byte)\npipe (cannot be viewed)\n(3 hidden entries not shown)',
      { type: 'directory', entries: ['a.txt', 'b', 'c\nd', 'one', 'pipe'] },
    ]);
    assert.equal(textOf(directory(['a'], [1], 0)), 'a (1 byte)');
  });

  it('of an empty directory says so, unless there are hidden entries', () => {
    assert.equal(textOf(directory([], [], 0)), '(empty)');
    assert.equal(textOf(directory([], [], 1)), '(1 hidden entry not shown)');
  });

  describe('that is too long', () => {
    const limited = { ...usual, maxChars: 1000 };
    const numbered = Array.from(
      { length: 300 },
      (_, index) => `line ${index} é${['\n', '\r\n', '\r'][index % 3] ?? ''}`,
    );

    it('ends with a line that says how to continue, for models and programs alike, until everything has been read', () => {
      const seen: string[] = [];
      for (let next = 1; next <= 300;) {
        const rest = file(numbered.slice(next - 1).join(''), 300);
        const params = next === 1 ? { path } : { path, start_line: next };
        const [text, structured] = told(viewTool.present(rest, params, limited));
        assert.ok(Array.from(text).length <= 1000);
        const [, first, last, body = '', goOn] =
          /^\(lines (\d+)-(\d+) of 300\)\n\n([^]*?)(?:\n\[Only lines \d+-\d+ are above: .* Go on with start_line (\d+)\.\])?$/.exec(
            text,
          ) ?? [];
        assert.equal(first, String(next));
        seen.push(body);
        next = goOn === undefined ? Infinity : Number(goOn);
        const { content, total_lines, range_requested } = structured as Record<string, unknown>;
        assert.equal(content, body);
        if (goOn === undefined) break;
        assert.equal(Number(last) + 1, next);
        assert.equal(total_lines, 300);
        assert.deepEqual(range_requested, { start_line: Number(first), end_line: Number(last) });
      }
      assert.equal(seen.join(''), numbered.join(''));
      assert.ok(seen.length > 3);
    });

    it('tells last what does not show of what it has', () => {
      const unseen = { lineBreaks: ['\n', '\r\n', '\r'], hasBom: true, ended: false };
      const whole = { ...file(`\ufeff${numbered.join('')}`, 300), forModel: { totalLines: 300, unseen } };
      const [text, structured] = told(viewTool.present(whole, { path }, limited));
      assert.ok(Array.from(text).length <= 1000);
      assert.match(text, /\n\[Only lines 1-\d+ are above: .*\]\n\[line breaks: mixed; begins with a BOM\]$/);
      assert.doesNotMatch(String(Reflect.get(Object(structured), 'content')), /line breaks/);
    });

    it('contains the beginning of a line that does not fit', () => {
      const [text, structured] = told(viewTool.present(file(`${'x'.repeat(5000)}\nnext`, 2), { path }, limited));
      const [, part] =
        /^\(lines 1-1 of 2\)\n\n(x{500,}…)\n\n\[Only the first \d+ characters of line 1 are above: .* Go on with start_line 2\.\]$/.exec(
          text,
        ) ?? [];
      assert.ok(part !== undefined, text.slice(-300));
      assert.ok(text.length <= 1000);
      assert.equal(Reflect.get(Object(structured), 'content'), part);
    });

    it('fits into its message, twice unless it is text only', () => {
      const content = `${'\u0001'.repeat(99)}\n`.repeat(1000);
      for (const textOnly of [false, true]) {
        const presentation = { ...usual, maxBytes: 100_000, textOnly };
        const { text, structured } = shown(viewTool.present(file(content, 1000), { path }, presentation));
        const bytes = [...text, ...(textOnly ? [] : structured)].reduce(
          (sum, part) => sum + Buffer.from(part).length,
          0,
        );
        assert.ok(bytes <= 100_000 && bytes > 90_000, String(bytes));
      }
    });

    it('is refused if it cannot be cut', () => {
      const presentation = { ...usual, maxBytes: 1000 };
      const bytes = { content: Buffer.from(`"${'A'.repeat(600)}"`), type: 'file', encoding: 'base64', size: 450 };
      const names = Array.from({ length: 100 }, (_, index) => `name ${index}`);
      for (const success of [
        { ok: true, result: bytes } as const,
        directory(
          names,
          names.map(() => 1),
          0,
        ),
      ]) {
        const refused = viewTool.present(success, { path }, presentation);
        assert.ok('ok' in refused && refused.kind === 'too_large');
      }
    });
  });
});

describe('edits by text with an overlong report', () => {
  const replacements = Buffer.from(
    JSON.stringify([{ edit: 1, count: 300, lines: Array.from({ length: 300 }, (_, at) => at + 1) }]),
  );
  const result = {
    success: true,
    path: 'a',
    edits_applied: 1,
    total_replacements: 300,
    replacements,
    diff: '-a\n+b\n'.repeat(100),
    dry_run: false,
  };
  const report = (maxBytes: number): [string, unknown] =>
    told(
      applyEditsTool.present(
        { ok: true, result, hash: 'abc', forModel: { place: 'lines 1, 2, …' } },
        { path: 'a', edits: [] },
        { ...usual, maxBytes },
      ),
    );

  it('are reported without the diff, although they were made', () => {
    const [text, structured] = report(2_500);
    assert.match(
      text,
      /^Replaced 300 occurrences in a \(lines 1, .*\)\n\n… the diff is left out: it is too long for one answer\.\n$/,
    );
    assert.equal(Reflect.get(Object(structured), 'diff'), '… the diff is left out: it is too long for one answer.\n');
    assert.deepEqual(Reflect.get(Object(structured), 'replacements'), JSON.parse(replacements.toString()));
  });

  it('are reported without line numbers if that is not enough', () => {
    const [text, structured] = report(1_000);
    assert.match(text, /^Replaced 300 occurrences in a/);
    assert.deepEqual(Reflect.get(Object(structured), 'replacements'), [{ edit: 1, count: 300, lines: [] }]);
  });
});

describe('several changes', () => {
  const kinds = [
    { path: 'a\nb', kind: 'edited', edits_applied: 1, total_replacements: 1, hash: '01' },
    { path: 'c', kind: 'edited', edits_applied: 2, total_replacements: 2, notice: 'Mixed now.' },
    { path: 'd', kind: 'created', hash: '02' },
    { path: 'e', kind: 'replaced' },
    { path: 'f', kind: 'deleted' },
    { path: 'g', kind: 'renamed', new_path: 'h', hash: '03' },
  ];
  const done = (changes: readonly object[] = kinds, more: object = {}): Success => ({
    ok: true,
    result: { success: true, changes, files_changed: 6, diff: '-a\n+b\n', dry_run: false, ...more },
    forModel: { remarks: ['a\nb (line breaks taken)'] },
  });
  const present = (success: Success, limits: Partial<Presentation> = {}): Presented | Failure =>
    applyChangesTool.present(success, { changes: [] }, { ...usual, ...limits });

  it('have a line each, with what is remarked on them, and the diff', () => {
    const [text, structured] = told(present(done()));
    assert.equal(
      text,
      'edited a\\nb (1 replacement)\nedited c (2 replacements)\nMixed now.\ncreated d\nreplaced e\ndeleted f\nrenamed g -> h\na\\nb (line breaks taken)\n\n-a\n+b\n',
    );
    assert.deepEqual(structured, done().result);
  });

  it('say in a dry run what would be done, and nothing more if nothing changes', () => {
    const [text] = told(present(done(kinds, { dry_run: true, diff: '' })));
    assert.match(text, /^would edit a.*\nwould create d\nwould replace e\nwould delete f\nwould rename g -> h\na.*$/s);
  });

  it('come with the hash of each file if it was asked for, under its new name', () => {
    assert.equal(shown(present(done())).hashes, 'Hash: 01 a\\nb\nHash: 02 d\nHash: 03 h');
  });

  it('that are too long for a message are told without the diff, and at last without their list', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ path: `file ${String(index)}`, kind: 'created' }));
    const long = done(many, { diff: '-a\n+b\n'.repeat(10_000) });
    const [text, structured] = told(present(long, { maxBytes: 20_000 }));
    assert.match(
      text,
      /^created file 0\n.*created file 99\na.*\n\n… the diff is left out: it is too long for one answer\.\n$/s,
    );
    assert.deepEqual(Reflect.get(Object(structured), 'changes'), many);
    const [summary, rest] = told(present(long, { maxBytes: 1_000 }));
    assert.equal(summary, 'changed 6 files, as asked: their list is too long for one answer.');
    assert.equal(Reflect.get(Object(rest), 'changes'), undefined);
    assert.equal(Reflect.get(Object(rest), 'files_changed'), 6);
  });
});

describe('the diff of a change', () => {
  const header = (name: string): string => `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n`;
  const hunk = (line: number): string => `@@ -${line},1 +${line},1 @@\n-@@ ${'😀'.repeat(400)}\n+diff --git \r@@ \n`;
  const renamed = 'diff --git a/c b/d\nsimilarity index 100%\nrename from c\nrename to d\n';
  const shownOf = (diff: string, limits: Partial<Presentation> = {}, more: object = {}): string => {
    const result = { success: true, changes: [], files_changed: 2, diff, dry_run: false, ...more };
    const presented = applyChangesTool.present({ ok: true, result }, { changes: [] }, { ...usual, ...limits });
    const [text, structured] = told(presented);
    assert.equal(Reflect.get(Object(structured), 'diff'), diff);
    return text.slice('\n\n'.length);
  };
  const long =
    header('a') +
    [1, 20, 40, 60, 80, 90].map(hunk).join('') +
    header('b') +
    [1, 20, 40, 60].map(hunk).join('') +
    renamed;

  it('is whole up to 4,000 characters', () => {
    const whole = `${header('a')}@@ -1,1 +1,1 @@\n-a\n+${'😀'.repeat(4_000)}`;
    const exact = `${Array.from(whole).slice(0, 3_999).join('')}\n`;
    assert.equal(shownOf(exact), exact);
    assert.equal(shownOf(exact.replace('😀', '😀😀')), '… 1 file and 6 lines of the diff are not shown.\n');
  });

  it('ends at the end of a hunk, with the number of files and lines that are missing', () => {
    assert.equal(
      shownOf(long),
      header('a') +
        [1, 20, 40, 60, 80, 90].map(hunk).join('') +
        header('b') +
        [1, 20].map(hunk).join('') +
        '… 1 file and 10 lines of the diff are not shown.\n',
    );
  });

  it('is limited further by a shorter page, and by no page if it has none', () => {
    assert.equal(
      shownOf(long, { maxChars: 1_000 }),
      `${header('a')}${hunk(1)}${hunk(20)}… 2 files and 31 lines of the diff are not shown.\n`,
    );
    assert.equal(shownOf(long, { maxChars: 1_000_000 }), shownOf(long));
  });

  it('has a whole page in a dry run, and ends like any other', () => {
    const dry = { dry_run: true };
    assert.equal(shownOf(long, {}, dry), long);
    assert.equal(shownOf(long, { maxChars: 1_000 }, dry), shownOf(long, { maxChars: 1_000 }));
  });

  it('keeps what it says itself about its length', () => {
    const note = '… and 7 more files: the diff is cut, since all of it is longer than 65536 bytes.\n';
    assert.match(
      shownOf(long + note),
      /… \d files? and \d+ lines of the diff are not shown\.\n… and 7 more files: .*\n$/,
    );
  });
});

describe('the matches of a search', () => {
  const found = (files: readonly object[], more: object = {}): Success => ({
    ok: true,
    result: {
      files: Buffer.from(JSON.stringify(files)),
      total_matches: files.length,
      total_files: files.length,
      searched: 7,
      skipped: { binary: 0, too_large: 0, unreadable: 0 },
      truncated: false,
      ...more,
    },
  });
  const context = [
    { line: 2, text: 'x', before: ['a'], after: ['b', 'x'] },
    { line: 4, text: 'x', before: ['x', 'b'], after: ['c'] },
  ];

  it('show each line once, and a match rather than a line around another', () => {
    const one = { path: 'f', count: 2, matches: context };
    const [text, structured] = told(grepTool.present(found([one]), { pattern: 'x', context: 2 }, usual));
    assert.equal(text, 'f\n1-a\n2:x\n3-b\n4:x\n5-c\n\n1 match in 1 file');
    assert.deepEqual(Reflect.get(Object(structured), 'files'), [one]);
  });

  it('show a path on one line, even if it has line breaks', () => {
    const counts = [
      { path: 'a\nb', count: 1 },
      { path: 'c', count: 3 },
    ];
    const [text] = told(grepTool.present(found(counts), { pattern: 'x', mode: 'files' }, usual));
    assert.equal(text, 'a\\nb (1)\nc (3)\n\n2 matches in 2 files');
  });

  it('end with the cursor if more is left', () => {
    const [text] = told(
      grepTool.present(
        found([{ path: 'f', count: 2, matches: [{ line: 1, text: 'x' }] }], { truncated: true, cursor: 'abc' }),
        { pattern: 'x' },
        usual,
      ),
    );
    assert.equal(text, 'f\n1:x\n\n1 match in 1 file\n[More is left. Go on with cursor "abc".]');
  });

  it('come with the hash of each file if it was asked for', () => {
    const files = [
      { path: 'a', count: 1, hash: '01' },
      { path: 'b', count: 1, hash: '02' },
    ];
    const { hashes } = shown(grepTool.present(found(files), { pattern: 'x', mode: 'files', return_hash: true }, usual));
    assert.equal(hashes, 'Hash: 01 a\nHash: 02 b');
  });

  it('that are none say what was left out, and with which parameters there may be some', () => {
    const skipped = { binary: 2, too_large: 1, unreadable: 3 };
    const none = (params: Parameters<typeof grepTool.present>[1]): string =>
      told(grepTool.present(found([], { skipped }), params, usual))[0];
    const leftOut = 'No matches in 7 files (left out: 2 not text, 1 too large, 3 not readable)';
    assert.equal(none({ pattern: 'a.b' }), `${leftOut}\n[Try again with ignore_case, literal, hidden or ignored.]`);
    assert.equal(none({ pattern: 'ab', hidden: true, ignored: true }), `${leftOut}\n[Try again with ignore_case.]`);
    assert.equal(none({ pattern: 'ab', ignore_case: true, hidden: true, ignored: true }), leftOut);
  });

  it('or names that are too long for one answer are refused', () => {
    const many = Array.from({ length: 50 }, (_, index) => ({ path: `f${String(index)}`, count: 1, matches: [] }));
    const limits = { ...usual, maxBytes: 500 };
    const matches = grepTool.present(found(many), { pattern: 'x' }, limits);
    assert.ok('ok' in matches && matches.kind === 'too_large' && matches.details.includes('cursor'));
    const names = { ok: true, result: { files: many, total: 50, truncated: true, cursor: 'c' } } as const;
    const refused = globTool.present(names, { pattern: '*' }, limits);
    assert.ok('ok' in refused && refused.kind === 'too_large');
    const [text] = told(globTool.present(names, { pattern: '*' }, usual));
    assert.match(text, /^f0\nf1\n.*f49\n50 files\n\[Only 50 of them are above\. Go on with cursor "c"\.\]$/s);
  });
});
