/** The Dockerfile and the systemd unit, as far as they can be checked without Docker and without running as PID 1. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { cli, freePort, startProgram } from '../../fronts/server-process.js';
import { once } from 'node:events';
import { root, withFolder } from './installation.js';

const execute = promisify(execFile);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('the Dockerfile', () => {
  it('starts the server with valid flags, and checks its health correctly', () =>
    withFolder(async (directory) => {
      const dockerfile = await readFile(join(root, 'docs/deploy/Dockerfile'), 'utf8');
      /** The arguments of the last instruction of this name, in its JSON form. */
      const argumentsOf = (instruction: string): string[] => {
        const [, list = '[]'] =
          [...dockerfile.matchAll(new RegExp(`^ *${instruction} (\\[.*\\])$`, 'gm'))].at(-1) ?? [];
        return JSON.parse(list) as string[];
      };
      const flags = argumentsOf('CMD');
      assert.deepEqual(flags, ['--dir=/data', '--host=0.0.0.0']);
      assert.ok(
        cli.endsWith((argumentsOf('ENTRYPOINT')[1] ?? '').replace('/app/node_modules/file-editing-server', '')),
      );

      const port = String(await freePort());
      const server = startProgram([...flags.map((flag) => flag.replace('/data', directory)), `--port=${port}`]);
      await once(server.lines, 'line');
      const [, script = ''] = /CMD \["node", "-e", "(.*)"\]/.exec(dockerfile) ?? [];
      const health = script.replace(':8080', `:${port}`);
      assert.notEqual(health, script);
      await execute(process.execPath, ['-e', health]);
      assert.equal(await server.stop(), 0);
      await assert.rejects(execute(process.execPath, ['-e', health]));
    }));
});

describe('the systemd unit', { skip: hasSystemd ? false : 'systemd-analyze is not installed' }, () => {
  it('is valid for systemd, and confines the service', () =>
    withFolder(async (folder) => {
      const unit = await readFile(join(root, 'docs/deploy/file-editor.service'), 'utf8');
      const path = join(folder, 'file-editor.service');
      // The path has to exist.
      await writeFile(path, unit.replace('/usr/local/bin/file-editor', process.execPath));
      const { stdout, stderr } = await execute('systemd-analyze', ['verify', path]);
      assert.equal(`${stdout}${stderr}`, '');
      // Exposure out of 10; systemd applies its own threshold.
      await execute('systemd-analyze', ['security', '--offline=yes', '--threshold=25', path]);
    }));
});
