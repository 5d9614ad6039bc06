import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withDirectory } from './directory.js';

const typescript = fileURLToPath(new URL('typescript.mjs', import.meta.url));

/** The report of node --test on a test file with this body, and its remaining temporary files. */
async function runTest(body: string): Promise<{ status: number | null; stdout: string; left: string[] }> {
  const source = `import { it } from 'node:test';
    import { spawn } from 'node:child_process';
    import { mkdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    it('passes', () => { ${body} });`;
  return withDirectory({ 'a.test.mjs': source, 'tmp/.keep': '' }, (directory) => {
    const { status, stdout } = spawnSync(
      process.execPath,
      ['--import', typescript, '--test', join(directory, 'a.test.mjs')],
      {
        env: { PATH: process.env['PATH'], TMPDIR: join(directory, 'tmp'), LEFTOVERS_PATIENCE_MS: '2000' },
        encoding: 'utf8',
      },
    );
    return { status, stdout, left: readdirSync(join(directory, 'tmp')) };
  });
}

describe('a test file whose tests pass', () => {
  it('passes if it leaves nothing', async () => {
    const { status, left } = await runTest('');
    assert.deepEqual([status, left], [0, ['.keep']]);
  });

  it('fails if it leaves a temporary file, and the file is removed', async () => {
    const { status, stdout, left } = await runTest("mkdirSync(tmpdir() + '/forgotten');");
    assert.match(stdout, /forgotten in the directory for temporary files/);
    assert.deepEqual([status, left], [1, ['.keep']]);
  });

  const skip = process.platform !== 'linux' && 'no /proc';
  it('fails if it leaves a process, even a grandchild', { skip }, async () => {
    const detached = "{ stdio: 'ignore', detached: true }";
    const { status, stdout } = await runTest(`
      spawn('sh', ['-c', 'sleep 61 & exec sleep 62'], ${detached}).unref();
      spawn('sleep', ['63'], { ...${detached}, env: {} }).unref();`);
    const left = [...stdout.matchAll(/process (\d+): sleep (\d+)/g)];
    for (const [, pid] of left) process.kill(Number(pid), 'SIGKILL');
    assert.deepEqual(left.map(([, , seconds]) => seconds).sort(), ['61', '62', '63']);
    assert.equal(status, 1);
  });
});
