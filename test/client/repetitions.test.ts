import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileEditor, FileEditorError } from '../../src/client/index.js';
import { badGateway, busy, changed, done, lost, notFound, refused, scripted, type Step } from './scripted.js';

const read = (editor: FileEditor) => editor.readFile({ name: 'a.txt' });
const append = (editor: FileEditor) => editor.editFile({ name: 'a.txt', append: 'x' });
const appendTo = (editor: FileEditor) => editor.editFile({ name: 'a.txt', append: 'x', expected_hash: 'aa' });
const rehearse = (editor: FileEditor) =>
  editor.applyEdits({ path: 'a.txt', edits: [{ old_string: 'a', new_string: 'b' }], dry_run: true });
const changes =
  (...expected: readonly (string | undefined)[]) =>
  (editor: FileEditor) =>
    editor.applyChanges({
      changes: expected.map((expected_hash, index) => ({
        path: String(index),
        content: 'x',
        ...(expected_hash === undefined ? {} : { expected_hash }),
      })),
    });
const rehearseChanges = (editor: FileEditor) =>
  editor.applyChanges({ changes: [{ path: 'a', delete: true }], dry_run: true });
const result = { content: '', total_lines: 0 };

interface Expected {
  /** Number of requests sent. */
  readonly sent: number;
  /** Status of the error, if the call fails. */
  readonly status?: number | undefined;
  readonly applied?: 'unknown' | true;
}

const cases: readonly [
  string,
  (editor: FileEditor) => Promise<unknown>,
  readonly Step[],
  'succeeds' | 'fails',
  Expected,
][] = [
  ['resends a read whose answer is lost', read, [lost, done(result)], 'succeeds', { sent: 2 }],
  ['resends a read after a gateway failure', read, [badGateway, done(result)], 'succeeds', { sent: 2 }],
  ['treats a dry run of several changes like a read', rehearseChanges, [lost, done({})], 'succeeds', { sent: 2 }],
  ['resends changes that all have expected_hash', changes('aa', 'bb'), [lost, done({})], 'succeeds', { sent: 2 }],
  [
    'does not resend changes of which one has none',
    changes('aa', undefined),
    [lost],
    'fails',
    { sent: 1, applied: 'unknown' },
  ],
  ['does not resend changes of any version', changes('aa', '*'), [lost], 'fails', { sent: 1, applied: 'unknown' }],
  ['treats a dry run like a read', rehearse, [lost, done({})], 'succeeds', { sent: 2 }],
  ['gives up on a read after three retries', read, [lost, lost, lost, lost], 'fails', { sent: 4 }],
  ['does not retry a refusal', read, [notFound], 'fails', { sent: 1, status: 404 }],
  ['does not resend an edit whose answer is lost', append, [lost], 'fails', { sent: 1, applied: 'unknown' }],
  [
    'does not resend an edit after a gateway failure',
    append,
    [badGateway],
    'fails',
    { sent: 1, status: 502, applied: 'unknown' },
  ],
  ['resends an edit with expected_hash', appendTo, [lost, done({})], 'succeeds', { sent: 2 }],
  [
    'cannot tell from a 412 after a resend who changed the file',
    appendTo,
    [lost, changed],
    'fails',
    { sent: 2, status: 412, applied: 'unknown' },
  ],
  ['can tell from a 412 to the first attempt', appendTo, [changed], 'fails', { sent: 1, status: 412 }],
  ['resends an edit that a busy server did not start', append, [busy, done({})], 'succeeds', { sent: 2 }],
  ['resends an edit that reached no server', append, [refused, done({})], 'succeeds', { sent: 2 }],
  [
    'reports nothing written when it gives up on an edit that never started',
    append,
    [busy, refused, busy, busy],
    'fails',
    { sent: 4, status: 503 },
  ],
  [
    'reports an unknown outcome when it gives up after a lost answer',
    appendTo,
    [lost, busy, busy, busy],
    'fails',
    { sent: 4, status: 503, applied: 'unknown' },
  ],
];

describe('the client, when a call fails', { concurrency: true }, () => {
  for (const [title, call, steps, ending, { sent, status, applied }] of cases) {
    it(title, async () => {
      const network = scripted(...steps);
      const editor = new FileEditor('http://localhost', { fetch: network.fetch });
      if (ending === 'succeeds') await call(editor);
      else {
        await assert.rejects(call(editor), (error) => {
          assert.ok(error instanceof FileEditorError);
          assert.deepEqual([error.status, error.applied], [status, applied]);
          return true;
        });
      }
      assert.equal(network.sent.length, sent);
    });
  }

  it('waits as long as the server asks it to', async () => {
    const later: Step = {
      status: 503,
      body: { error: { code: -32000, message: '', data: {} } },
      headers: { 'Retry-After': '60' },
    };
    const network = scripted(later);
    const editor = new FileEditor('http://localhost', { fetch: network.fetch, timeoutMs: 50_000 });
    // Longer than the remaining time, so the failure is reported immediately.
    await assert.rejects(read(editor), { status: 503 });
    assert.equal(network.sent.length, 1);
  });

  it('gives the cause of a missing answer where Node knows it', async () => {
    for (const reason of [refused, lost]) {
      const network = scripted(reason);
      const editor = new FileEditor('http://localhost', { fetch: network.fetch, retries: 0 });
      await assert.rejects(read(editor), { message: new RegExp(`^No answer from /read_file \\(${reason}\\)`) });
    }
  });

  it('does not retry when retries are off', async () => {
    const network = scripted(busy);
    await assert.rejects(read(new FileEditor('http://localhost', { fetch: network.fetch, retries: 0 })), {
      status: 503,
    });
  });

  it('times out without knowing whether the edit was made', async () => {
    const never = new FileEditor('http://localhost', { timeoutMs: 20, fetch: untilAborted });
    await assert.rejects(append(never), {
      name: 'FileEditorError',
      applied: 'unknown',
      message: 'No answer within 20 ms',
    });
    await assert.rejects(read(never), { name: 'FileEditorError', applied: undefined });
    await assert.rejects(never.readFile({ name: 'a' }, { timeoutMs: 10 }), { message: 'No answer within 10 ms' });
  });

  it('ends a call that its caller aborts, even between two attempts', async () => {
    const controller = new AbortController();
    const reason = new Error('not needed any more');
    const { signal } = controller;
    const waiting = new FileEditor('http://localhost', { fetch: untilAborted }).readFile({ name: 'a' }, { signal });
    const network = scripted({
      status: 503,
      body: { error: { code: -32000, message: '', data: {} } },
      headers: { 'Retry-After': '5' },
    });
    const pausing = new FileEditor('http://localhost', { fetch: network.fetch }).readFile({ name: 'a' }, { signal });
    setTimeout(() => controller.abort(reason), 20);
    await assert.rejects(waiting, reason);
    await assert.rejects(pausing, reason);
    await assert.rejects(new FileEditor('http://localhost').readFile({ name: 'a' }, { signal }), reason);
  });
});

const untilAborted = (_: string, { signal }: RequestInit): Promise<Response> =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error());
    });
  });
