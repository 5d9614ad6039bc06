/** What the commands say of a folder that macOS protects (docs/limits.md), on any system: a preload makes it macOS. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withDirectory } from '../directory.js';
import { cli } from '../fronts/server-process.js';

const command = ['--require', fileURLToPath(new URL('elsewhere.cjs', import.meta.url)), cli];
const emulating = (hidden: string) => ({ ...process.env, AS_PLATFORM: 'darwin', PROTECTED: hidden });

describe('a folder that macOS lets no program open', () => {
  it('fails the start, which says where to allow it', () =>
    withDirectory({ 'a.txt': '' }, (directory) => {
      const { status, stderr } = spawnSync(process.execPath, [...command, `--dir=${directory}`], {
        encoding: 'utf8',
        env: emulating(directory),
      });
      assert.equal(status, 1);
      assert.match(
        stderr,
        /^--dir: ".*" cannot be opened by this process \(EPERM\)\. If it is in a folder that macOS /,
      );
      assert.match(
        stderr,
        /System Settings > Privacy & Security > .* and start that again; expected an existing dir.*\n$/,
      );
    }));

  it('is refused in a call, whose details say where to allow it', { timeout: 30_000 }, () =>
    withDirectory({ 'a.txt': 'open', 'Desktop/b.txt': 'hidden' }, async (directory) => {
      const args = [...command, `--dir=${directory}`, '--transport=stdio', '--toolset=agent'];
      const server = spawn(process.execPath, args, {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: emulating(join(directory, 'Desktop')),
      });
      let answers = '';
      server.stdout.setEncoding('utf8').on('data', (text: string) => (answers += text));
      for (const [id, path] of ['a.txt', 'Desktop/b.txt', 'Desktop'].entries()) {
        server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'view', params: { path } })}\n`);
      }
      server.stdin.end();
      await once(server, 'close');
      const [open, ...refused] = answers
        .trim()
        .split('\n')
        .sort((one, other) => Number(/"id":(\d)/.exec(one)?.[1]) - Number(/"id":(\d)/.exec(other)?.[1]));
      assert.match(open ?? '', /"content":"open"/);
      assert.equal(refused.length, 2);
      for (const answer of refused) {
        assert.match(answer, /"reason":"permission_denied"/);
        assert.match(answer, /"details":"If it is in a folder that macOS protects .* start that again\."/);
      }
    }),
  );
});
