/** The storage tools as their seed describes them: its acceptance criteria and its scenarios, through every front. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import type { OperationName } from '../../src/core/operations.js';
import { tryFileLock } from '../../workers/disk/lock/lock.js';
import { Reserved } from '../../workers/disk/lock/reserved.js';
import { Root } from '../../workers/disk/paths/root.js';
import { emptyDirectory, withDirectory } from '../directory.js';
import { offered } from '../operations/offered.js';
import { fronts, type Answer, type Session } from './fronts.js';
import { sharedSession } from './shared-session.js';

const options = { toolset: 'storage' };

/** A server of a directory, and what is done with it. */
class Scene {
  constructor(
    readonly directory: string,
    private readonly session: Session,
  ) {}

  call(operation: OperationName, params: object): Promise<Answer> {
    return this.session.call(operation, params);
  }

  async done(operation: OperationName, params: object): Promise<Record<string, unknown>> {
    const answer = await this.call(operation, params);
    assert.ok(answer.ok, JSON.stringify(answer));
    return answer.result;
  }

  async refused(operation: OperationName, params: object, reason: string, message: string): Promise<void> {
    const answer = await this.call(operation, params);
    assert.ok(!answer.ok, JSON.stringify(answer));
    assert.deepEqual([answer.error.data['reason'], answer.error.message], [reason, message]);
  }

  put(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.directory, path)), { recursive: true });
    writeFileSync(join(this.directory, path), content);
  }

  text(path: string): string {
    return readFileSync(join(this.directory, path), 'utf8');
  }

  /** Names in the directory but for the server's own. */
  names(path = ''): string[] {
    return readdirSync(join(this.directory, path)).filter((name) => name !== '.file-editor');
  }
}

const text = (content: string): Record<string, unknown> => ({
  type: 'file',
  content,
  encoding: 'utf-8',
  size: Buffer.byteLength(content),
});
const create = (path: string, content: string, encoding = 'utf-8'): [OperationName, object] => [
  'create',
  { path, content, encoding },
];

const criteria: readonly (readonly [string, (scene: Scene) => Promise<void>])[] = [
  [
    '2. All 6 tools are available and callable',
    async (scene) => {
      const names = offered(['storage']);
      const asked = ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] as const;
      for (const name of asked) assert.ok(names.includes(name), name);
      for (const name of names) {
        const answer = await scene.call(name, {});
        assert.equal(!answer.ok && answer.error.data['reason'], 'invalid_params', name);
      }
    },
  ],
  [
    '3. Create → View cycle works',
    async (scene) => {
      await scene.done(...create('a.md', '# Title\r\n\ttext "quoted"'));
      assert.deepEqual(await scene.done('view', { path: 'a.md' }), text('# Title\r\n\ttext "quoted"'));
    },
  ],
  [
    '4. Text replacement works correctly',
    async (scene) => {
      scene.put('projects/current.md', 'Budget: $50k\n');
      await scene.done('str_replace', {
        path: 'projects/current.md',
        old_str: 'Budget: $50k',
        new_str: 'Budget: $45k',
      });
      assert.equal(scene.text('projects/current.md'), 'Budget: $45k\n');
    },
  ],
  [
    '6. Create on existing file fails',
    async (scene) => {
      scene.put('a.md', 'old');
      await scene.refused(...create('a.md', 'new'), 'file_exists', 'File already exists: a.md');
    },
  ],
  [
    '7. View non-existent file fails',
    (scene) => scene.refused('view', { path: 'no/a.md' }, 'file_not_found', 'File not found: no/a.md'),
  ],
  [
    '8. str_replace on missing string fails',
    async (scene) => {
      scene.put('a.md', 'text');
      const params = { path: 'a.md', old_str: 'other', new_str: '' };
      await scene.refused('str_replace', params, 'string_not_found', 'String not found in file');
    },
  ],
  [
    '9. str_replace on non-unique string fails',
    async (scene) => {
      scene.put('a.md', 'abab');
      const params = { path: 'a.md', old_str: 'ab', new_str: '' };
      await scene.refused('str_replace', params, 'string_not_unique', 'String appears 2 times, must be unique');
    },
  ],
  [
    '10. Insert with invalid line number fails',
    async (scene) => {
      scene.put('a.md', 'one\ntwo\n');
      for (const insert_line of [0, 4, -3]) {
        const message = `Line number ${String(insert_line)} out of range (1-3)`;
        await scene.refused('insert', { path: 'a.md', insert_line, new_str: 'x' }, 'invalid_line_number', message);
      }
    },
  ],
  [
    '11. Delete directory with hidden files fails',
    async (scene) => {
      scene.put('temp/.gitkeep', '');
      await scene.refused('delete', { path: 'temp' }, 'directory_not_empty', 'Directory not empty: temp');
    },
  ],
  [
    '12. Path security enforced',
    async (scene) => {
      for (const path of ['../a', '/etc/passwd', 'a/../../b', 'C:\\a', '..\\a']) {
        await scene.refused('view', { path }, 'path_security', 'Path escapes base directory');
      }
    },
  ],
  [
    '13. Symlink escape blocked',
    async (scene) => {
      symlinkSync('/etc', join(scene.directory, 'out'));
      await scene.refused('view', { path: 'out/passwd' }, 'path_security', 'Path escapes base directory');
      await scene.refused(...create('out/new', 'x'), 'path_security', 'Path escapes base directory');
    },
  ],
  [
    '14. Parent directories auto-created',
    async (scene) => {
      await scene.done(...create('deep/nested/path/file.txt', 'x'));
      assert.equal(scene.text('deep/nested/path/file.txt'), 'x');
    },
  ],
  [
    '15. Empty files handled',
    async (scene) => {
      await scene.done(...create('empty', ''));
      assert.deepEqual(await scene.done('view', { path: 'empty' }), text(''));
      await scene.done('delete', { path: 'empty' });
      assert.deepEqual(scene.names(), []);
    },
  ],
  [
    '16. Binary files supported for view/create',
    async (scene) => {
      const content = Buffer.from([0, 1, 2, 0xff, 0xfe]).toString('base64');
      await scene.done(...create('bytes', content, 'base64'));
      const file = { type: 'file', content, encoding: 'base64', size: 5 };
      assert.deepEqual(await scene.done('view', { path: 'bytes' }), file);
    },
  ],
  [
    '17. Binary files rejected for text operations',
    async (scene) => {
      scene.put('bytes', Uint8Array.of(0xff));
      const message = 'Cannot perform text operation on binary file';
      await scene.refused('str_replace', { path: 'bytes', old_str: 'a', new_str: '' }, 'binary_file', message);
      await scene.refused('insert', { path: 'bytes', insert_line: 1, new_str: 'a' }, 'binary_file', message);
    },
  ],
  [
    '18. Directory listing sorted by Unicode code point',
    async (scene) => {
      for (const name of ['b', 'B', 'a', 'Z', '\u{1f600}', '\uffee']) scene.put(`sub/${name}`, '');
      const entries = ['B', 'Z', 'a', 'b', '\uffee', '\u{1f600}'];
      assert.deepEqual(await scene.done('view', { path: 'sub' }), { type: 'directory', entries });
    },
  ],
  [
    '19. Trailing slash handling',
    async (scene) => {
      scene.put('nodes/a', '');
      const listed = { type: 'directory', entries: ['a'] };
      for (const path of ['nodes/', 'nodes']) assert.deepEqual(await scene.done('view', { path }), listed);
    },
  ],
  [
    '20. Rename with path change works',
    async (scene) => {
      scene.put('drafts/note.md', 'text');
      await scene.done('rename', { old_path: 'drafts/note.md', new_path: 'archive/2025/note.md' });
      assert.equal(scene.text('archive/2025/note.md'), 'text');
      await scene.refused('view', { path: 'drafts/note.md' }, 'file_not_found', 'File not found: drafts/note.md');
    },
  ],
  [
    '21. Insert newline semantics',
    async (scene) => {
      scene.put('a.md', 'one\ntwo\n');
      await scene.done('insert', { path: 'a.md', insert_line: 2, new_str: 'new\n' });
      await scene.done('insert', { path: 'a.md', insert_line: 1, new_str: '> ' });
      assert.equal(scene.text('a.md'), '> one\nnew\ntwo\n');
    },
  ],
  [
    '22. Operations are atomic',
    async (scene) => {
      scene.put('a.md', 'text');
      await scene.refused(...create('new/sub/x', '!', 'base64'), 'invalid_encoding', encodingMessage);
      const params = { old_path: 'a.md', new_path: 'a.md/sub/b.md' };
      await scene.refused('rename', params, 'not_a_directory', 'Not a directory: a.md/sub/b.md');
      assert.deepEqual([scene.names(), scene.text('a.md')], [['a.md'], 'text']);
    },
  ],
  [
    '23. View consistency guaranteed',
    async (scene) => {
      await scene.done(...create('a.md', 'one\n'));
      for (let round = 0; round < 20; round++) {
        const content = `${'line\n'.repeat(round)}one\n`;
        assert.deepEqual(await scene.done('view', { path: 'a.md' }), text(content));
        await scene.done('insert', { path: 'a.md', insert_line: 1, new_str: 'line\n' });
      }
    },
  ],
  [
    '24. Error format consistent',
    async (scene) => {
      for (const [operation, params] of [
        ['view', { path: 'missing' }],
        ['view', { path: '../x' }],
        ['view', {}],
        ['create', { path: '', content: '', encoding: 'utf-8' }],
        ['rename', { old_path: 'a', new_path: 'b' }],
      ] as const) {
        const answer = await scene.call(operation, params);
        assert.ok(!answer.ok && typeof answer.error.code === 'number' && answer.error.message !== '');
        assert.match(String(answer.error.data['reason']), /^[a-z_]+$/);
      }
    },
  ],
];

const encodingMessage = 'Content does not match specified encoding';

const scenarios: readonly (readonly [string, (scene: Scene) => Promise<void>])[] = [
  [
    '1: Basic File Creation and Retrieval',
    async (scene) => {
      const content = '# Team Meeting\n\nDiscuss Q1 goals';
      await scene.done(...create('notes/meeting.md', content));
      assert.equal(scene.text('notes/meeting.md'), content);
      assert.deepEqual(await scene.done('view', { path: 'notes/meeting.md' }), text(content));
    },
  ],
  [
    '2: Text Replacement',
    async (scene) => {
      scene.put('project.md', '# Project Alpha\nStatus: Planning\nBudget: $50k\n');
      const params = { path: 'project.md', old_str: 'Status: Planning', new_str: 'Status: In Progress' };
      assert.deepEqual(await scene.done('str_replace', params), { success: true, path: 'project.md' });
      assert.equal(scene.text('project.md'), '# Project Alpha\nStatus: In Progress\nBudget: $50k\n');
      assert.deepEqual(scene.names(), ['project.md']);
    },
  ],
  [
    '3: Duplicate File Creation Fails',
    async (scene) => {
      scene.put('config.json', '{"version": 1}');
      await scene.refused(...create('config.json', '{}'), 'file_exists', 'File already exists: config.json');
      assert.deepEqual([scene.names(), scene.text('config.json')], [['config.json'], '{"version": 1}']);
    },
  ],
  [
    '4: Deep Path with Auto-Created Directories',
    async (scene) => {
      await scene.done(...create('nodes/projects/archive/old-project.md', '# Archived'));
      assert.equal(scene.text('nodes/projects/archive/old-project.md'), '# Archived');
    },
  ],
  [
    '5: Directory Listing',
    async (scene) => {
      for (const name of ['proj_003.md', 'proj_001.md', 'proj_002.md', '.hidden']) scene.put(`nodes/${name}`, '');
      const entries = ['proj_001.md', 'proj_002.md', 'proj_003.md'];
      assert.deepEqual(await scene.done('view', { path: 'nodes/' }), { type: 'directory', entries });
    },
  ],
  [
    '6: Path Security Enforcement',
    (scene) => scene.refused('view', { path: '../../../etc/passwd' }, 'path_security', 'Path escapes base directory'),
  ],
  [
    '7: Non-Unique String Replacement Fails',
    async (scene) => {
      scene.put('notes.md', 'TODO: finish this\nTODO: review that\n');
      const params = { path: 'notes.md', old_str: 'TODO', new_str: 'DONE' };
      await scene.refused('str_replace', params, 'string_not_unique', 'String appears 2 times, must be unique');
      assert.equal(scene.text('notes.md'), 'TODO: finish this\nTODO: review that\n');
    },
  ],
  [
    '8: Symlink Escape Prevention',
    async (scene) => {
      symlinkSync('/etc/passwd', join(scene.directory, 'malicious-link'));
      await scene.refused('view', { path: 'malicious-link' }, 'path_security', 'Path escapes base directory');
    },
  ],
  [
    '9: Directory Deletion with Hidden Files',
    async (scene) => {
      scene.put('temp/.gitkeep', '');
      await scene.refused('delete', { path: 'temp/' }, 'directory_not_empty', 'Directory not empty: temp/');
      assert.ok(existsSync(join(scene.directory, 'temp/.gitkeep')));
    },
  ],
];

for (const front of fronts) {
  describe(`the storage tools (${front.name})`, () => {
    const shared = sharedSession(front, options);
    for (const [kind, tests] of [
      ['criterion', criteria],
      ['scenario', scenarios],
    ] as const) {
      for (const [title, run] of tests) {
        it(`${kind} ${title}`, () => {
          const { directory, session } = shared();
          emptyDirectory(directory);
          return run(new Scene(directory, session));
        });
      }
    }

    it('criterion 5. File operations persist across server restarts', () =>
      withDirectory({}, async (directory) => {
        const first = await front.open(directory, options);
        assert.ok((await first.call(...create('notes/a.md', 'kept'))).ok);
        assert.equal(await first.close(), 0);
        const second = await front.open(directory, options);
        assert.deepEqual(await second.call('view', { path: 'notes/a.md' }), { ok: true, result: text('kept') });
        assert.equal(await second.close(), 0);
      }));

    it('are only `view` with --read-only, which makes nothing', () =>
      withDirectory({ 'notes/a.md': 'text' }, async (directory) => {
        const session = await front.open(directory, { ...options, readOnly: true });
        assert.deepEqual(await session.call('view', { path: 'notes/a.md' }), { ok: true, result: text('text') });
        for (const operation of ['create', 'str_replace', 'insert', 'delete', 'rename', 'read_file'] as const) {
          const answer = await session.call(operation, { path: 'notes/a.md' });
          assert.equal(!answer.ok && answer.error.code, -32601, operation);
        }
        assert.deepEqual(readdirSync(directory), ['notes']);
        assert.equal(await session.close(), 0);
      }));

    it('say that they are busy, or that time is up, and do nothing then', () =>
      withDirectory({ 'notes/a.md': 'text' }, async (directory) => {
        const limits = { timeout: 1, maxConcurrent: 1, maxQueue: 0 };
        const session = await front.open(directory, { ...options, ...limits });
        const root = new Root(directory);
        root.refresh();
        const lock = tryFileLock(new Reserved(root), 'notes/a.md', []);
        assert.ok(lock);
        const waits = session.call('insert', { path: 'notes/a.md', insert_line: 1, new_str: 'new\n' });
        const refused = await eventuallyRefused(session);
        const late = await waits;
        lock.release();
        assert.ok(!late.ok && !refused.ok);
        const told = [refused, late].map(({ error, status }) => [error.code, error.data['reason'], status]);
        const statuses = front.name.startsWith('REST') ? [503, 504] : [undefined, undefined];
        assert.deepEqual(told, [
          [-32001, 'busy', statuses[0]],
          [-32001, 'timeout', statuses[1]],
        ]);
        assert.equal(readFileSync(join(directory, 'notes/a.md'), 'utf8'), 'text');
        assert.equal(await session.close(), 0);
      }));
  });
}

/** A call that is refused because another one is being executed by then. */
async function eventuallyRefused(session: Session): Promise<Answer> {
  for (;;) {
    const answer = await session.call('view', { path: '' });
    if (!answer.ok) return answer;
  }
}
