/**
 * Spec 6: an edit never loses what another program wrote before the edit's last stat of the file, and applies to one
 * whole version or is refused. A write between that stat and the rename can be lost, so every loss must lie in such a
 * window, by the server's own clock.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { withDirectory } from '../../directory.js';
import type { Client } from '../../reliability/client.js';
import { seeded } from '../../reliability/random.js';
import { temporaryFiles, withServer } from '../../reliability/server.js';

const clock = pathToFileURL(fileURLToPath(new URL('../../reliability/fixtures/look-clock.mjs', import.meta.url)));
const name = 'a.txt';
const lines = 400;
const writes = 60;
const editors = 3;

/** Every line names the version; all versions have the same length. */
const textOf = (version: number): string => `version ${String(version).padStart(8, '0')}\n`.repeat(lines);
const { length } = textOf(0);

/** Another program's way of writing this version to the file. */
type Write = (path: string, version: number) => void | Promise<void>;

const inPlace: Write = (path, version) => {
  const fd = openSync(path, 'r+');
  writeSync(fd, textOf(version));
  closeSync(fd);
};

const replaced: Write = (path, version) => {
  writeFileSync(`${path}.new`, textOf(version) + readFileSync(path, 'utf8').slice(length));
  renameSync(`${path}.new`, path);
};

const run = promisify(execFile);
const checkedOut: Write = async (path, version) => {
  const checkout = run('git', ['checkout', '--quiet', '--force', `v${String(version % 2)}`], { cwd: join(path, '..') });
  // git removes and recreates the file, and gives up if an edit created one in between.
  await checkout.catch((error: unknown) => assert.match(String(error), /unable to create file/));
};

/** A repository whose branches v0 and v1 hold two versions. */
function makeRepository(directory: string): void {
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], { cwd: directory, stdio: 'pipe' });
  };
  git('init', '--quiet');
  for (const version of [1, 0]) {
    git('checkout', '--quiet', '-B', `v${String(version)}`);
    writeFileSync(join(directory, name), textOf(version));
    git('add', name);
    git('commit', '--quiet', '--allow-empty', '-m', 'a version');
  }
}

class Mixed extends Error {}

/** On a machine with more to do than it has cores, git may stop in the middle of a file for longer than an edit waits. */
const mostStops = 2;

/**
 * @returns the version at the start of the file; undefined if it was edited before a program that recreates it had
 *   written anything
 * @throws Mixed, if versions are mixed
 */
function versionIn(path: string): number | undefined {
  const text = readFileSync(path, 'utf8');
  if (/^(edited\n)*$/.test(text)) return undefined;
  const version = Number(text.slice(8, 16));
  if (!text.startsWith(textOf(version))) throw new Mixed(`${String(text.length)} bytes: ${text.slice(0, 60)} …`);
  return version;
}

/** From an edit's last stat of the file until the rename. */
type Window = readonly [began: bigint, ended: bigint];

function windowsIn(looks: string): Window[] {
  const bytes = readFileSync(looks);
  return Array.from({ length: bytes.length / 16 }, (_, i) => [
    bytes.readBigUInt64LE(16 * i),
    bytes.readBigUInt64LE(16 * i + 8),
  ]);
}

/** Append edits after the version lines until the end. @returns the numbers of successful and refused edits */
async function keepEditing(client: Client, isOver: () => boolean): Promise<[number, number]> {
  const counts: [number, number] = [0, 0];
  while (!isOver()) {
    const reply = await client.call('edit_file', { name, append: 'edited' });
    if (reply.kind === 'done') counts[0]++;
    else if (!isOver()) {
      counts[1]++;
      // Git removes a file before writing it.
      assert.ok(reply.kind === 'refused' && (reply.status === 409 || reply.status === 404), JSON.stringify(reply));
    }
  }
  return counts;
}

const ways: readonly { readonly how: string; readonly write: Write; readonly prepare?: (directory: string) => void }[] =
  [
    { how: 'writes it in place', write: inPlace },
    { how: 'replaces it', write: replaced },
    { how: 'is git checking out branches', write: checkedOut, prepare: makeRepository },
  ];

describe('a file that another program writes while it is edited', { timeout: 300_000 }, () => {
  for (const { how, write, prepare } of ways) {
    const race = (test: TestContext): Promise<void> => {
      const random = seeded(test);
      return withDirectory({ [name]: textOf(0) }, async (directory) => {
        prepare?.(directory);
        const path = join(directory, name);
        const folder = mkdtempSync(join(tmpdir(), 'file-editor-looks-'));
        const looks = join(folder, 'looks');
        const environment = { NODE_OPTIONS: `--import ${clock.href}`, LOOKS: looks };
        const unseen: { readonly version: number; readonly began: bigint; readonly ended: bigint }[] = [];
        Object.assign(process.env, environment);
        try {
          await withServer('http', directory, {}, async (server) => {
            let over = false;
            const clients = Array.from({ length: editors }, () => server.connect());
            for (const client of clients) await client.call('edit_file', { name, append: 'edited' });
            const editing = Promise.all(clients.map((client) => keepEditing(client, () => over)));
            try {
              for (let version = 1; version <= writes; version++) {
                await sleep(random.between(0, 8));
                const began = process.hrtime.bigint();
                await write(path, version);
                const ended = process.hrtime.bigint();
                await sleep(random.between(0, 8));
                const isThere = prepare === undefined ? versionIn(path) === version : versionIn(path) === version % 2;
                if (!isThere) unseen.push({ version, began, ended });
              }
            } finally {
              over = true;
            }
            const counts = await editing;
            for (const client of clients) client.close();
            assert.equal(await server.process.stop(), 0, server.process.errors());
            const [done, refused] = [0, 1].map((i) => counts.reduce((sum, count) => sum + (count[i] ?? 0), 0));
            test.diagnostic(
              `${String(writes)} versions written, ${String(unseen.length)} lost in a window; ` +
                `${String(done)} edits done, ${String(refused)} refused`,
            );
            assert.ok(done !== undefined && done > 0, 'edits came through as well');
          });
          const windows = windowsIn(looks);
          assert.ok(windows.length > 0, 'the clock has seen renames');
          for (const { version, began, ended } of unseen) {
            const isExcused = windows.some(([look, rename]) => look <= ended && began <= rename);
            assert.ok(isExcused, `version ${String(version)} was lost, although it was there before the last look`);
          }
          assert.deepEqual(temporaryFiles(directory), []);
        } finally {
          for (const variable of Object.keys(environment)) Reflect.deleteProperty(process.env, variable);
          rmSync(folder, { recursive: true });
        }
      });
    };
    it(`keeps the other program's writes, and never mixes versions, if it ${how}`, async (test) => {
      for (let stops = 0; ; stops++) {
        try {
          await race(test);
          return;
        } catch (error) {
          if (!(error instanceof Mixed) || prepare === undefined || stops === mostStops) throw error;
          test.diagnostic(`git stopped: ${error.message}`);
        }
      }
    });
  }
});
