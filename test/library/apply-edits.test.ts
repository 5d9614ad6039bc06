/** Spec 11: the engine of apply_edits as a library function. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { platform } from '../../src/core/platform.js';
import { applyEdits, ApplyEditsError } from '../../src/library/apply-edits.js';
import { withDirectory } from '../directory.js';
import { startServer } from '../reliability/server.js';
import { needs } from '../needs.js';
import { untilDone } from './until-done.js';
// Else the first call does, within its timeout: that takes a busy Wine seconds.
import '../../workers/perform.js';

const library = new URL('../../dist/src/index.js', import.meta.url).href;
const two = [{ old_string: 'two', new_string: '2' }];
const text = 'one\ntwo\nthree\n';
const edited = 'one\n2\nthree\n';

/** What `applyEdits` rejects with. */
async function refusal(
  ...call: Parameters<typeof applyEdits>
): Promise<{ code: string; message: string; details: string; path: string }> {
  try {
    await applyEdits(...call);
  } catch (error) {
    assert.ok(error instanceof ApplyEditsError);
    assert.notEqual(error.details, '');
    return { code: error.code, message: error.message, details: error.details, path: error.path };
  }
  return assert.fail('it was not refused');
}

describe('applyEdits', () => {
  it('edits a file and reports what it did', () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      const path = join(directory, 'a.txt');
      assert.deepEqual(await applyEdits(path, two), {
        success: true,
        path,
        edits_applied: 1,
        total_replacements: 1,
        replacements: [{ edit: 1, count: 1, lines: [2] }],
        diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
        dry_run: false,
      });
      assert.equal(readFileSync(path, 'utf8'), edited);
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a.txt']);
    }));

  it('resolves a path against the current directory', () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      const path = relative(process.cwd(), join(directory, 'a.txt'));
      assert.equal((await applyEdits(path, two)).path, path);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), edited);
    }));

  it('accepts null for no options', () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      await applyEdits(join(directory, 'a.txt'), two, null);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), edited);
    }));

  it('leaves nothing behind in the directory with dry_run', () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      const { dry_run, total_replacements } = await applyEdits(join(directory, 'a.txt'), two, { dry_run: true });
      assert.deepEqual([dry_run, total_replacements], [true, 1]);
      assert.deepEqual(readdirSync(directory), ['a.txt']);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), text);
    }));

  it('follows a link and edits its target', { skip: needs.links }, () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      mkdirSync(join(directory, 'sub'));
      symlinkSync('../a.txt', join(directory, 'sub/link'));
      await applyEdits(join(directory, 'sub/link'), two);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), edited);
      assert.ok(!existsSync(join(directory, 'sub/.file-editor')));
    }),
  );

  it('locks where the nearest server above would, or in the given root', () =>
    withDirectory({}, async (directory) => {
      const folder = join(directory, 'x/y');
      mkdirSync(folder, { recursive: true });
      mkdirSync(join(directory, '.file-editor'));
      const path = join(folder, 'a.txt');
      writeFileSync(path, text);
      const { diff } = await applyEdits(path, two);
      assert.match(diff, /^--- a\/x\/y\/a\.txt\n/);
      assert.ok(!existsSync(join(folder, '.file-editor')));
      await applyEdits(path, [{ old_string: '2', new_string: 'two' }], { root: join(directory, 'x') });
      assert.ok(existsSync(join(directory, 'x/.file-editor')));
      assert.equal(readFileSync(path, 'utf8'), text);
    }));

  const missing = join('/', 'nowhere', 'at', 'all');
  const refused: Record<
    string,
    { call: (directory: string) => Parameters<typeof applyEdits>; code: string; message: RegExp; details?: RegExp }
  > = {
    'a missing file': {
      call: () => [missing, two],
      code: 'file_not_found',
      message: /^File not found: [\\/]nowhere[\\/]at[\\/]all\. Check that file exists\.$/,
    },
    'a missing file with an expected hash': {
      call: () => [missing, two, { expected_hash: '0123456789abcdef' }],
      code: 'conflict',
      message: /^File '[\\/]nowhere[\\/]at[\\/]all' has changed$/,
    },
    'another version': {
      call: (directory) => [join(directory, 'a.txt'), two, { expected_hash: '0123456789abcdef' }],
      code: 'conflict',
      message: /^File 'a\.txt' has changed$/,
    },
    'a file outside the root': {
      call: (directory) => [join(directory, 'a.txt'), two, { root: join(directory, 'sub') }],
      code: 'path_security',
      message: /^Path escapes base directory/,
    },
    'a link in a loop': {
      call: (directory) => [join(directory, 'loop'), two],
      code: 'path_security',
      message: /^Path escapes base directory/,
    },
    'a reserved path': {
      call: (directory) => [join(directory, '.file-editor/notes'), two],
      code: 'path_security',
      message: /^'\.file-editor' is reserved for the server$/,
    },
    'a reserved path, with another root above it': {
      call: (directory) => [join(directory, 'sub/.File-Editor/notes'), two, { root: directory }],
      code: 'path_security',
      message: /^'\.file-editor' is reserved for the server$/,
    },
    'a NUL character': {
      call: (directory) => [`${join(directory, 'a.txt')}\0`, two],
      code: 'invalid_params',
      message: /^Invalid params: \/path holds a NUL character$/,
      details: /^Send a path without it/,
    },
    'a name that no system accepts': {
      call: (directory) => [join(directory, 'n'.repeat(256)), two],
      code: 'invalid_params',
      message: /^Invalid params: \/path has a part that is longer than 255 bytes$/,
      details: /^Send a shorter path/,
    },
    'invalid edits': {
      call: (directory) => [join(directory, 'a.txt'), []],
      code: 'invalid_params',
      message: /^Invalid params: \/edits must be an array of 1 to 1000 items$/,
    },
  };
  for (const [what, { call, code, message, details = /./ }] of Object.entries(refused)) {
    it(`refuses ${what}, and writes nothing`, { skip: what.includes('link') && needs.links }, () =>
      withDirectory({ 'a.txt': text }, async (directory) => {
        mkdirSync(join(directory, 'sub'));
        writeFileSync(join(directory, 'binary'), Buffer.from([0xff, 0xfe]));
        if (needs.links === false) symlinkSync('loop', join(directory, 'loop'));
        for (const reserved of ['.file-editor', 'sub/.File-Editor']) {
          mkdirSync(join(directory, reserved));
          writeFileSync(join(directory, reserved, 'notes'), text);
        }
        const args = call(directory);
        const refused = await refusal(...args);
        assert.equal(refused.code, code);
        assert.match(refused.message, message);
        assert.match(refused.details, details);
        assert.equal(refused.path, args[0]);
        assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), text);
      }),
    );
  }

  it('does not mistake a name for a drive', { skip: process.platform === 'win32' && 'it is one' }, () =>
    withDirectory({ 'c:a.txt': text }, async (directory) => {
      await applyEdits(join(directory, 'c:a.txt'), two);
      assert.equal(readFileSync(join(directory, 'c:a.txt'), 'utf8'), edited);
    }),
  );

  it('does not treat a backslash in a name as a separator', { skip: sep === '\\' && 'it is one' }, () =>
    withDirectory({ 'a\\b': text }, async (directory) => {
      mkdirSync(join(directory, 'a'));
      writeFileSync(join(directory, 'a/b'), text);
      const { code } = await refusal(join(directory, 'a\\b'), two);
      assert.equal(code, 'invalid_params');
      assert.equal(readFileSync(join(directory, 'a/b'), 'utf8'), text);
    }),
  );

  it("loses no edit among many concurrent ones, its own and a server's", () =>
    withDirectory({ 'a.txt': 'end\n' }, async (directory) => {
      const server = await startServer('http', directory, { toolset: 'edits' });
      try {
        const client = server.connect(10);
        const edits = (name: string): { old_string: string; new_string: string }[] => [
          { old_string: 'end\n', new_string: `${name}\nend\n` },
        ];
        const editByLibrary = async (name: string): Promise<string> =>
          applyEdits(join(directory, 'a.txt'), edits(name)).then(
            () => 'done',
            (error: unknown) => (error instanceof ApplyEditsError ? error.code : String(error)),
          );
        const editByServer = async (name: string): Promise<string> => {
          const reply = await client.call('apply_edits', { path: 'a.txt', edits: edits(name) });
          return reply.kind === 'refused' ? String(reply.data['reason']) : reply.kind;
        };
        const names = Array.from({ length: 30 }, (_, index) => String(index));
        await Promise.all(
          names.flatMap((name) => [
            untilDone(() => editByLibrary(`library ${name}`)),
            untilDone(() => editByServer(`server ${name}`)),
          ]),
        );
        const lines = readFileSync(join(directory, 'a.txt'), 'utf8').split('\n').slice(0, -2);
        const expected = names.flatMap((name) => [`library ${name}`, `server ${name}`]);
        assert.deepEqual(lines.sort(), expected.sort());
      } finally {
        await server.kill();
      }
    }));

  it('closes every descriptor', { skip: process.platform !== 'linux' && 'there is no /proc' }, () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      const path = join(directory, 'a.txt');
      const open = (): number => readdirSync('/proc/self/fd').length;
      await applyEdits(path, [{ old_string: 'one', new_string: 'one' }]);
      await sleep(50);
      const before = open();
      for (let round = 0; round < 20; round++) {
        await applyEdits(path, [{ old_string: 'one', new_string: 'one one' }]).catch(() => undefined);
        await applyEdits(path, [{ old_string: 'missing', new_string: '' }]).catch(() => undefined);
      }
      await sleep(50);
      assert.equal(open(), before);
    }),
  );

  // Needs the build: there, calls wait only for files, and the event loop never turns between them.
  it(
    'keeps few descriptors open, however many calls are made in a row',
    { skip: process.platform !== 'linux' && 'needs /proc' },
    () =>
      withDirectory({ 'a.txt': text }, async (directory) => {
        const path = join(directory, 'a.txt');
        const program = `import { readdirSync } from 'node:fs';
          import { applyEdits } from ${JSON.stringify(library)};
          const open = () => readdirSync('/proc/self/fd').length;
          const before = open();
          let most = 0;
          for (let calls = 0; calls < 300; calls++) {
            await applyEdits(${JSON.stringify(path)}, ${JSON.stringify(two)}, { dry_run: true });
            most = Math.max(most, open() - before);
          }
          if (most > 100) throw new Error(most + ' were open');`;
        const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
        assert.deepEqual(await once(child, 'exit'), [0, null]);
      }),
  );

  it('says where a valid hash comes from, without naming an option that only a server has', () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      const { code, details } = await refusal(join(directory, 'a.txt'), two, { expected_hash: 'x' });
      assert.equal(code, 'conflict');
      assert.match(details, /is not written as a hash, 16 .*\. Send it exactly as a server gives it for return_hash/);
    }));

  it('reports a dangling link, as a server does, and only where there is one', { skip: needs.links }, () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      symlinkSync('nowhere', join(directory, 'link'));
      symlinkSync('link', join(directory, 'second'));
      symlinkSync('.', join(directory, 'here'));
      for (const path of ['link', 'link/', 'link/b.txt', 'second']) {
        const { code, details } = await refusal(join(directory, path), two);
        assert.equal(code, 'file_not_found', path);
        assert.match(details, /^A symbolic link on this path leads to nothing\./, path);
      }
      for (const path of ['b.txt', 'here/b.txt', 'here/b/c.txt', 'a.txt/b']) {
        const { details } = await refusal(join(directory, path), two);
        assert.match(details, /Check the path, and the directory that it counts from\. To make this file, /, path);
        assert.doesNotMatch(details, /symbolic link/, path);
      }
    }),
  );

  it('suggests what was probably meant by a path that does not exist', () =>
    withDirectory({ 'README.md': text, 'notes/today.md': text, '.file-editor/notes.md': text }, async (directory) => {
      const inside = `'${directory}'`;
      // Where case makes no difference, that is the file.
      const nearly = platform.tellsSpelling ? 'redme.md' : 'readme.md';
      const offered: readonly (readonly [string, string])[] = [
        [nearly, `Did you mean 'README.md' in ${inside}? `],
        ['README', `Did you mean 'README.md' in ${inside}? `],
        ['notes/tody.md', `Did you mean 'today.md' in '${join(directory, 'notes')}'? `],
        ['nots/deep/today.md', `There is no directory 'nots' in ${inside}. Did you mean 'notes' in ${inside}? `],
        ['.file-edito/notes.md', `There is no directory '.file-edito' in ${inside}. `],
        ['other.txt', ''],
      ];
      for (const [path, meant] of offered) {
        const { code, message, details } = await refusal(join(directory, path), two);
        assert.equal(code, 'file_not_found');
        assert.equal(message, `File not found: ${join(directory, path)}. Check that file exists.`);
        assert.equal(
          details,
          `${meant}Check the path, and the directory that it counts from. To make this file, call applyChanges with its content.`,
        );
      }
      const gone = await refusal(join(directory, nearly), two, { expected_hash: '0123456789abcdef' });
      assert.match(gone.details, /^Nothing was written: there is no file of this name\. Did you mean 'README\.md' in /);
    }));

  it('suggests nothing outside its root', { skip: needs.links }, () =>
    withDirectory({ 'in/a.txt': text, 'out/README.md': text }, async (directory) => {
      symlinkSync('../out/README.md', join(directory, 'in/README.md'));
      const { details } = await refusal(join(directory, 'in/readme.md'), two, { root: join(directory, 'in') });
      assert.doesNotMatch(details, /Did you mean/);
      assert.match((await refusal(join(directory, 'in/readme.md'), two)).details, /Did you mean 'README\.md' in /);
    }),
  );

  it(
    'describes what is there for a missing file with an expected hash and for a link loop',
    { skip: needs.links },
    () =>
      withDirectory({}, async (directory) => {
        symlinkSync('loop', join(directory, 'loop'));
        const missing = await refusal(join(directory, 'missing'), two, { expected_hash: '0123456789abcdef' });
        assert.match(missing.details, /^Nothing was written: there is no file of this name\./);
        const looping = await refusal(join(directory, 'loop'), two);
        assert.match(looping.details, /^A symbolic link on this path leads back to itself\./);
      }),
  );

  it('refuses unknown options and a root that is not a directory, and says so', () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      const path = join(directory, 'a.txt');
      const wrong: readonly [unknown, RegExp][] = [
        [5, /the options are no object/],
        [{ return_hash: true }, /there is no option "return_hash"/],
        [{ root: 5 }, /root is no path/],
        [{ root: null }, /root is no path/],
        [{ root: '' }, /root is no path/],
        [{ root: join(directory, 'missing') }, /root names no directory/],
        [{ root: path }, /root names no directory/],
      ];
      for (const [options, problem] of wrong) {
        const call = (): unknown => Reflect.apply(applyEdits, undefined, [path, two, options]);
        await assert.rejects(async () => call(), { name: 'ApplyEditsError', code: 'invalid_params', message: problem });
      }
      assert.equal(readFileSync(path, 'utf8'), text);
    }));

  it('is in the package, and lets its process exit', () =>
    withDirectory({ 'a.txt': text }, async (directory) => {
      const path = join(directory, 'a.txt');
      const program = `import { applyEdits } from ${JSON.stringify(library)};
        await applyEdits(${JSON.stringify(path)}, ${JSON.stringify(two)});`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
      assert.deepEqual(await once(child, 'exit'), [0, null]);
      assert.equal(readFileSync(path, 'utf8'), edited);
    }));
});
