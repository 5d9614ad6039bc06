/** The release script, in a scratch repository. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root } from './installation.js';

const execute = promisify(execFile);

describe('.ci/release', () => {
  let folder: string;
  const git = async (...args: readonly string[]): Promise<string> =>
    (await execute('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: folder })).stdout;
  const commit = async (changes: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(changes)) await writeFile(join(folder, name), text);
    await git('add', '--all');
    await git('commit', '--quiet', '--message=Change');
  };
  /** @returns its output. @throws with its error output */
  const release = async (...args: readonly string[]): Promise<string> => {
    const name = { GIT_AUTHOR_NAME: 'T', GIT_AUTHOR_EMAIL: 't@localhost' };
    const env = { ...process.env, ...name, GIT_COMMITTER_NAME: 'T', GIT_COMMITTER_EMAIL: 't@localhost' };
    return (await execute(join(folder, '.ci/release'), args, { cwd: folder, env })).stdout;
  };
  const manifest = (version: string): string =>
    JSON.stringify({
      name: 'file-editing-server',
      version,
      scripts: { 'build:binary': 'true', 'build:mcpb': 'true', 'build:plugin': 'true' },
    });

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'release-')));
    await git('init', '--quiet');
    for (const name of ['.ci', 'docs']) await mkdir(join(folder, name));
    await cp(join(root, '.ci/release'), join(folder, '.ci/release'));
    await writeFile(join(folder, '.ci/run'), '#!/bin/sh\ntouch checked\n', { mode: 0o755 });
    await commit({
      'package.json': manifest('0.1.0'),
      'package-lock.json': JSON.stringify({
        name: 'file-editing-server',
        version: '0.1.0',
        lockfileVersion: 3,
        packages: {},
      }),
      'server.json': JSON.stringify({ version: '0.1.0', packages: [{ version: '0.1.0' }] }, null, 2),
      'README.md': 'npm i ./file-editing-server-0.1.0.tgz\n',
      'docs/programs.md': 'npm i /path/to/file-editing-server-0.1.0.tgz\n',
      'CHANGELOG.md': '# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.1.0] - 2026-01-01\n\n- Old.\n',
      '.gitignore': 'checked\n*.tgz\n',
    });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('refuses a version that is not next, and names those that are', async () => {
    await assert.rejects(release(), /usage: npm run release -- X\.Y\.Z/);
    await assert.rejects(release('v1'), /usage/);
    await assert.rejects(release('0.0.9'), /0\.0\.9 is older than 0\.1\.0/);
    await assert.rejects(release('0.1.0-rc.9'), /0\.1\.0-rc\.9 is older than 0\.1\.0/);
    await assert.rejects(release('0.2.0', '--dry'), /unknown argument '--dry'/);
  });

  it('refuses uncommitted changes', async () => {
    await writeFile(join(folder, 'new.txt'), '');
    await assert.rejects(release('0.2.0', '--dry-run'), /not committed/);
    await rm(join(folder, 'new.txt'));
  });

  it('rehearses in a copy', async () => {
    const head = await git('rev-parse', 'HEAD');
    const shown = await release('0.2.0', '--dry-run');
    assert.match(shown, /^Release 0\.2\.0\n/);
    assert.match(shown, /package\.json/);
    assert.match(shown, /## \[0\.2\.0\] - \d{4}-\d\d-\d\d/);
    assert.deepEqual(
      [await git('rev-parse', 'HEAD'), await git('tag'), await git('status', '--porcelain')],
      [head, '', ''],
    );
  });

  it('checks, sets the version, dates the changelog, commits, tags and packs', async () => {
    assert.match(await release('0.2.0'), /npm publish file-editing-server-0\.2\.0\.tgz/);
    assert.equal(await readFile(join(folder, 'checked'), 'utf8'), '');
    const read = async (name: string): Promise<string> => git('show', `v0.2.0:${name}`);
    for (const name of ['package.json', 'package-lock.json']) assert.match(await read(name), /"version": ?"0\.2\.0"/);
    assert.deepEqual(JSON.parse(await read('server.json')), { version: '0.2.0', packages: [{ version: '0.2.0' }] });
    assert.match(
      await read('CHANGELOG.md'),
      /^## \[Unreleased\]\n\n## \[0\.2\.0\] - \d{4}-\d\d-\d\d\n\n- New\.\n\n## \[0\.1\.0\] - 2026-01-01$/m,
    );
    for (const name of ['README.md', 'docs/programs.md']) {
      assert.match(await read(name), /file-editing-server-0\.2\.0\.tgz/);
    }
    assert.equal(await git('status', '--porcelain'), '');
    assert.ok((await readFile(join(folder, 'file-editing-server-0.2.0.tgz'))).length > 0);
    await assert.rejects(release('0.2.0'), /the tag v0\.2\.0 exists/);
  });

  it('refuses a version without a changelog entry', async () => {
    await assert.rejects(release('0.3.0'), /CHANGELOG\.md lists nothing under '## \[Unreleased\]'/);
  });

  it('accepts a release candidate before its release', async () => {
    const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8');
    await commit({ 'CHANGELOG.md': changelog.replace('[Unreleased]\n', '[Unreleased]\n\n- Newer.\n') });
    assert.match(await release('1.0.0-rc.1', '--dry-run'), /## \[1\.0\.0-rc\.1\] - /);
    await commit({ 'package.json': manifest('1.0.0-rc.1') });
    assert.match(await release('1.0.0', '--dry-run'), /## \[1\.0\.0\] - /);
  });
});
