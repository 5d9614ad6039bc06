import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { jsonOf } from '../../src/core/json/json-of.js';
import { isoTime } from '../../workers/operations/list-entry.js';
import { listSteps } from '../../workers/operations/list.js';
import { Progress } from '../../workers/progress.js';
import { atOnce } from '../../workers/turn.js';
import { withDirectory } from '../directory.js';
import { Lister } from './lister.js';

describe('the answer of a listing', () => {
  it('is one JSON text in its own memory, which contains the files', () =>
    withDirectory({ 'a.txt': 'one\n', 'b.txt': '' }, (directory) => {
      const { workspace } = new Lister(directory);
      workspace.root.refresh();
      const progress = new Progress(new Int32Array(workspace.setup.phases), 0);
      const { json, result } = atOnce(listSteps({}, { workspace, progress, precondition: undefined, notices: [] }));
      const { files } = result;
      assert.ok(json !== undefined && files instanceof Uint8Array);
      assert.deepEqual([json.byteOffset, json.byteLength], [0, json.buffer.byteLength]);
      assert.equal(files.buffer, json.buffer);
      const parsed: unknown = JSON.parse(Buffer.from(json).toString());
      assert.deepEqual(parsed, { ...result, files: JSON.parse(Buffer.from(files).toString()) as unknown });
      assert.equal(result['total_count'], 2);
    }));

  it('is abandoned midway when the call is cancelled', () =>
    withDirectory({ 'a.txt': '', 'b.txt': '', 'c.txt': '' }, (directory) => {
      const { workspace } = new Lister(directory);
      workspace.root.refresh();
      let looks = 0;
      class CancelledMeanwhile extends Progress {
        override get cancelled(): boolean {
          return ++looks > 2;
        }
      }
      const progress = new CancelledMeanwhile(new Int32Array(workspace.setup.phases), 0);
      assert.throws(
        () => atOnce(listSteps({}, { workspace, progress, precondition: undefined, notices: [] })),
        /Cancelled/,
      );
      assert.equal(looks, 3);
    }));

  it('escapes names as JSON.stringify does, and U+2028 and U+2029, in UTF-8', () =>
    withDirectory({}, (parent) => {
      const directory = join(parent, 'ä "quoted"\n\u2028');
      mkdirSync(directory);
      const names = ['"', '\\', '\n\u0001\u007f', 'ä.txt', '\u0085\u2028\u2029', '\u{1F600}'].sort();
      for (const name of names) writeFileSync(join(directory, name), 'x');
      const answer = new Lister(directory, { names: 'unicode' }).answer().toString();
      for (const name of [...names, directory]) assert.ok(answer.includes(jsonOf(name)), JSON.stringify(name));
      const parsed: unknown = JSON.parse(answer);
      assert.equal(answer, jsonOf(parsed));
      assert.match(answer, /^\{"files":\[.*\],"total_count":6,"directory":/s);
    }));

  it('rounds times to milliseconds as Stats does', () =>
    withDirectory({ 'a.txt': '' }, (directory) => {
      const path = join(directory, 'a.txt');
      const lister = new Lister(directory);
      for (const seconds of ['1749033000.123499999', '1749033000.1235', '1749033000.9996', '-1.4996', '0']) {
        execFileSync('touch', ['-d', `@${seconds}`, path]);
        assert.equal(lister.files()[0]?.modified, statSync(path).mtime.toISOString(), seconds);
      }
      lister.close();
    }));

  it('does not fail on a time that no Date can hold', () => {
    assert.equal(isoTime(2n ** 63n - 1n), '2262-04-11T23:47:16.855Z');
    assert.equal(isoTime(10n ** 25n), '+275760-09-13T00:00:00.000Z');
    assert.equal(isoTime(-(10n ** 25n)), '-271821-04-20T00:00:00.000Z');
  });
});

/** On such a file system, Node needs a stat for each file type. */
function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return 'needs root to mount a file system';
  return spawnSync('mkfs.ext4', ['-V']).error === undefined ? false : 'needs mkfs.ext4';
}

describe('a file system that reports no file types', { skip: reasonToSkip() }, () => {
  it('is listed like any other', () =>
    withDirectory({}, (parent) => {
      const [image, disk] = [join(parent, 'image'), join(parent, 'disk')];
      mkdirSync(disk);
      writeFileSync(image, Buffer.alloc(4_194_304));
      execFileSync('mkfs.ext4', ['-q', '-O', '^filetype', image]);
      execFileSync('mount', ['-o', 'loop', image, disk]);
      try {
        mkdirSync(join(disk, 'folder'));
        writeFileSync(join(disk, 'a.txt'), 'one\n');
        writeFileSync(join(disk, 'ä.txt'), 'one\ntwo\n');
        const lister = new Lister(disk, { names: 'unicode' });
        for (let i = 0; i < 2; i++) assert.deepEqual(lister.lines(), { 'a.txt': 1, 'ä.txt': 2 });
        lister.close();
      } finally {
        execFileSync('umount', ['-l', disk]);
      }
    }));
});
