import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileEditor, FileEditorError } from '../../src/client/index.js';
import { badGateway, busy, changed, done, lost, notFound, refused, scripted, type Step } from './scripted.js';

const read = (editor: FileEditor) => editor.readFile({ name: 'a.txt' });
const append = (editor: FileEditor) => editor.editFile({ name: 'a.txt', append: 'x' });
const appendTo = (editor: FileEditor) => editor.editFile({ name: 'a.txt', append: 'x', expected_hash: 'aa' });
const rehearse = (editor: FileEditor) =>
  editor.applyEdits({ path: 'a.txt', edits: [{ old_string: 'a', new_string: 'b' }], dry_run: true });
const result = { content: '', total_lines: 0 };

interface Expected {
  /** How many requests are sent. */
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
  ['a read whose answer is lost is sent again', read, [lost, done(result)], 'succeeds', { sent: 2 }],
  ['a read through a gateway that failed is sent again', read, [badGateway, done(result)], 'succeeds', { sent: 2 }],
  ['a rehearsal is as good as a read', rehearse, [lost, done({})], 'succeeds', { sent: 2 }],
  ['a read is given up after three repetitions', read, [lost, lost, lost, lost], 'fails', { sent: 4 }],
  ['a refusal is not asked for twice', read, [notFound], 'fails', { sent: 1, status: 404 }],
  ['an edit whose answer is lost is not sent again', append, [lost], 'fails', { sent: 1, applied: 'unknown' }],
  ['nor after a gateway failed', append, [badGateway], 'fails', { sent: 1, status: 502, applied: 'unknown' }],
  ['an edit with expected_hash is', appendTo, [lost, done({})], 'succeeds', { sent: 2 }],
  [
    'but 412 does not tell then who changed it',
    appendTo,
    [lost, changed],
    'fails',
    { sent: 2, status: 412, applied: 'unknown' },
  ],
  ['as it does at once', appendTo, [changed], 'fails', { sent: 1, status: 412 }],
  ['an edit that a busy server did not begin is', append, [busy, done({})], 'succeeds', { sent: 2 }],
  ['and one that found no server', append, [refused, done({})], 'succeeds', { sent: 2 }],
  [
    'of which nothing was written if it is given up',
    append,
    [busy, refused, busy, busy],
    'fails',
    { sent: 4, status: 503 },
  ],
  [
    'unless one of its answers was lost',
    appendTo,
    [lost, busy, busy, busy],
    'fails',
    { sent: 4, status: 503, applied: 'unknown' },
  ],
];

describe('a call of the client', { concurrency: true }, () => {
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

  it('waits as long as the server asks for', async () => {
    const later: Step = {
      status: 503,
      body: { error: { code: -32000, message: '', data: {} } },
      headers: { 'Retry-After': '60' },
    };
    const network = scripted(later);
    const editor = new FileEditor('http://localhost', { fetch: network.fetch, timeoutMs: 50_000 });
    // Longer than the time that is left, so the failure is reported at once.
    await assert.rejects(read(editor), { status: 503 });
    assert.equal(network.sent.length, 1);
  });

  it('says why there was no answer, where Node knows', async () => {
    for (const reason of [refused, lost]) {
      const network = scripted(reason);
      const editor = new FileEditor('http://localhost', { fetch: network.fetch, retries: 0 });
      await assert.rejects(read(editor), { message: new RegExp(`^No answer from /read_file \\(${reason}\\)`) });
    }
  });

  it('is not repeated where nothing shall be', async () => {
    const network = scripted(busy);
    await assert.rejects(read(new FileEditor('http://localhost', { fetch: network.fetch, retries: 0 })), {
      status: 503,
    });
  });

  it('ends when its time is up, without knowing whether the edit was made', async () => {
    const never = new FileEditor('http://localhost', { timeoutMs: 20, fetch: untilAborted });
    await assert.rejects(append(never), {
      name: 'FileEditorError',
      applied: 'unknown',
      message: 'No answer within 20 ms',
    });
    await assert.rejects(read(never), { name: 'FileEditorError', applied: undefined });
    await assert.rejects(never.readFile({ name: 'a' }, { timeoutMs: 10 }), { message: 'No answer within 10 ms' });
  });

  it('ends when its caller says so, also between two attempts', async () => {
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
