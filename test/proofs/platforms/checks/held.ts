/** Spec 19: files that another program holds open on Windows, where an open file is not replaced. */
import assert from 'node:assert/strict';
import { constants, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '../../../reliability/client.js';
import { leftIn, textOf, withDirectory } from '../files.js';
import { assertSaysOpen, exclusive, holdFor, whileHeld } from '../hold.js';
import { send } from '../http.js';
import { allEnded, lendServer, startHttpServer, startServer } from '../scene.js';
import { onWindows } from '../target.js';

const ways = [
  { how: 'for reading', flags: constants.O_RDONLY },
  { how: 'exclusively', flags: exclusive },
];
/** A second, by spec 19, for what would otherwise be over at once; also for calls about other files meanwhile. */
const promptMs = 1000;

const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt', 'f.txt', 'g.txt', 'h.txt', 'free.txt'];
const files = Object.fromEntries(names.map((name) => [name, 'old\n']));
const edits = [{ old_string: 'old', new_string: 'new' }];
/** One write of each kind, of a file of its own. */
const writes = [
  { name: 'a.txt', method: 'edit_file', params: { name: 'a.txt', append: 'new' }, result: 'old\nnew\n' },
  { name: 'b.txt', method: 'write', params: { path: 'b.txt', content: 'new\n', expected_hash: '*' }, result: 'new\n' },
  { name: 'c.txt', method: 'apply_edits', params: { path: 'c.txt', edits }, result: 'new\n' },
  {
    name: 'd.txt',
    method: 'apply_changes',
    params: {
      changes: [
        { path: 'd.txt', edits },
        { path: 'e.txt', edits },
      ],
    },
    result: 'new\n',
  },
];

describe('a file that another program holds open', { skip: !onWindows && 'this is another system' }, () => {
  for (const { how, flags } of ways) {
    describe(how, () => {
      const scene = lendServer(files);
      const at = (name: string): string => join(scene.directory, name);
      /** What the same writes take where nobody holds the files. It is long on a machine busy with other work. */
      let usualMs = 0;

      const reset = (): void => {
        for (const name of names) writeFileSync(at(name), 'old\n');
      };
      before(async () => {
        const began = performance.now();
        await allEnded(writes.map(({ method, params }) => scene.server.done(method, params)));
        usualMs = performance.now() - began;
      });
      beforeEach(reset);

      for (const milliseconds of [700, 1600]) {
        it(`for ${milliseconds} ms: every write is made within a second of its end`, async () => {
          const calls = writes.map(async ({ name, method, params, result }) => {
            const letGo = holdFor(milliseconds, at(name), flags);
            const reply = await scene.server.call(method, params);
            const answered = performance.now();
            assert.equal(reply.kind, 'done', `${method}: ${JSON.stringify(reply)}`);
            const late = answered - (await letGo);
            assert.ok(late > -1 && late < promptMs + 2 * usualMs, `${method}: ${late} ms after its end`);
            assert.equal(textOf(scene.directory, name), result);
          });
          await allEnded(calls);
          assert.deepEqual(leftIn(scene.directory), []);
        });
      }

      it('for long: every write is refused, says why, and changes nothing', async () => {
        const calls = writes.map(async ({ name, method, params }) => {
          const reply = await whileHeld(at(name), flags, () => scene.server.call(method, params));
          assertSaysOpen(reply, method);
          assert.ok(reply.kind === 'refused');
          const { code, data, message } = reply;
          if (method === 'edit_file') {
            assert.equal(code, -32001);
            assert.ok(flags === exclusive || message.startsWith('Failed to write file atomically'), message);
          } else {
            assert.equal(data['reason'], 'io_error');
          }
        });
        await allEnded(calls);
        for (const name of names) assert.equal(textOf(scene.directory, name), 'old\n');
        assert.deepEqual(leftIn(scene.directory), []);
        assert.deepEqual(readdirSync(scene.directory).sort(), ['.file-editor', ...names].sort());
      });

      /** Calls about a file that nobody holds are answered soon. */
      async function assertPrompt(): Promise<void> {
        await sleep(100);
        for (let round = 0; round < 3; round++) {
          for (const [method, params] of [
            ['read_file', { name: 'free.txt' }],
            ['edit_file', { name: 'free.txt', append: 'x' }],
            ['grep', { pattern: 'old', path: 'free.txt' }],
          ] as const) {
            const began = performance.now();
            await scene.server.done(method, params);
            const took = performance.now() - began;
            assert.ok(took < promptMs + 2 * usualMs, `${method} took ${took} ms`);
          }
        }
      }

      it('does not hold up calls about other files', async () => {
        const calls = writes.map(async ({ name, method, params }) => {
          const letGo = holdFor(1500, at(name), flags);
          await scene.server.done(method, params);
          await letGo;
        });
        await allEnded([assertPrompt(), ...calls]);
      });
    });
  }
});

describe('a file that another program holds open for itself', { skip: !onWindows && 'this is another system' }, () => {
  const scene = lendServer(files);
  const calls = [
    ['a.txt', 'view', { path: 'a.txt' }],
    ['b.txt', 'read_file', { name: 'b.txt' }],
    ['c.txt', 'delete', { path: 'c.txt' }],
    ['d.txt', 'rename', { old_path: 'd.txt', new_path: 'moved.txt' }],
    ['e.txt', 'apply_changes', { changes: [{ path: 'e.txt', delete: true }] }],
    ['f.txt', 'apply_changes', { changes: [{ path: 'f.txt', rename_to: 'moved.txt' }] }],
    ['g.txt', 'str_replace', { path: 'g.txt', old_str: 'old', new_str: 'new' }],
    ['h.txt', 'grep', { pattern: 'old', path: 'h.txt' }],
  ] as const;

  it('is not read, deleted or renamed: each call says why, and nothing changes', async () => {
    const replies = await Promise.all(
      calls.map(async ([name, method, params]) => ({
        what: `${method} ${JSON.stringify(params)}`,
        reply: await whileHeld(join(scene.directory, name), exclusive, () => scene.server.call(method, params)),
      })),
    );
    for (const { what, reply } of replies) assertSaysOpen(reply, what);
    assert.deepEqual(readdirSync(scene.directory).sort(), ['.file-editor', ...names].sort());
    for (const name of names) assert.equal(textOf(scene.directory, name), 'old\n');
    assert.deepEqual(leftIn(scene.directory), []);
  });

  it('does not fail a search or a listing of its directory', async () => {
    await whileHeld(join(scene.directory, 'a.txt'), exclusive, async () => {
      const { total_files: found, skipped } = await scene.server.done('grep', { pattern: 'old' });
      assert.equal(found, names.length - 1);
      assert.ok(isRecord(skipped) && skipped['unreadable'] === 1, JSON.stringify(skipped));
      const { total_count: listed } = await scene.server.done('list_files', {});
      assert.equal(listed, names.length);
    });
  });
});

describe('on Windows, beside other programs', { skip: !onWindows && 'this is another system' }, () => {
  it('edit_file over REST answers 500 for a file that stays open', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const server = await startHttpServer(directory);
      try {
        const { status, body } = await whileHeld(join(directory, 'a.txt'), constants.O_RDONLY, () =>
          send(server.url, '/edit_file', { name: 'a.txt', append: 'new' }),
        );
        assert.equal(status, 500);
        assert.match(JSON.stringify(body), /Failed to write file atomically.*another program/i);
      } finally {
        await server.kill();
      }
      assert.equal(textOf(directory, 'a.txt'), 'old\n');
    }));

  it('40 edits of a file succeed while two programs open it again and again', async () => {
    await withDirectory({ 'sub/a.txt': 'start\n' }, async (directory) => {
      const server = await startServer(directory);
      let over = false;
      const read = async (): Promise<void> => {
        while (!over) {
          await holdFor(2, join(directory, 'sub/a.txt'), constants.O_RDONLY);
          await sleep(4);
        }
      };
      try {
        const reading = [read(), read()];
        for (let i = 0; i < 40; i++) {
          await server.done('apply_edits', { path: 'sub/a.txt', edits: [{ at: 'end', new_string: `${i}\n` }] });
        }
        over = true;
        await Promise.all(reading);
      } finally {
        over = true;
        await server.kill();
      }
      assert.equal(textOf(directory, 'sub/a.txt').split('\n').length, 42);
    });
  });
});
