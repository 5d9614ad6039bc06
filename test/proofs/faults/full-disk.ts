import assert from 'node:assert/strict';
import {
  closeSync,
  openSync,
  readFileSync,
  statfsSync,
  truncateSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../reliability/random.js';
import { temporaryFiles, withServer } from '../../reliability/server.js';
import { withDisk } from '../../reliability/small-disk.js';
import type { Figures } from './figures.js';

const page = 4096;
const line = 'a line of text\n';
/** 20 pages and a bit; the disk has 128. */
const text = `${line.repeat(5500)}the end\n`;
const pages = Math.ceil(text.length / page);

/**
 * Edit a file on a disk with too little room for the new version.
 * @throws AssertionError if an edit is acknowledged that is not there, or another byte of the file changes
 */
export async function editOnFullDisk(edits: number, random: Random): Promise<Figures> {
  await withDisk(async (disk) => {
    const file = join(disk, 'a.txt');
    const filler = join(disk, '.filler');
    writeFileSync(file, text);
    await withServer('http', disk, { workers: 1, toolset: 'all' }, async (server) => {
      const client = server.connect();
      const warm = await client.call('edit_file', { name: 'b.txt', append: 'b', create_if_missing: true });
      assert.equal(warm.kind, 'done');
      const calls = [
        ['edit_file', { name: 'a.txt', append: 'more' }],
        ['edit_file', { name: 'a.txt', edits: [{ line: 1, operation: 'replace', content: 'other' }] }],
        ['str_replace', { path: 'a.txt', old_str: 'the end', new_str: 'THE END' }],
        ['create', { path: 'c/d.txt', content: text, encoding: 'utf-8' }],
      ] as const;
      for (let edit = 0; edit < edits; edit++) {
        fill(filler);
        truncateSync(filler, statSync(filler).size - random.between(0, pages - 1) * page);
        assert.ok(statfsSync(disk).bfree < pages);
        const [operation, params] = random.pick(calls);
        const reply = await client.call(operation, params);
        assert.ok(reply.kind === 'refused', `${operation}: ${JSON.stringify(reply)}`);
        assert.deepEqual([reply.data['errno'], reply.data['applied']], ['ENOSPC', undefined]);
        assert.equal(readFileSync(file, 'utf8'), text, 'the file is what it was');
        assert.deepEqual(temporaryFiles(disk), []);
        rmSync(filler);
        if (edit % 100 !== 99) continue;
        const done = await client.call('str_replace', { path: 'b.txt', old_str: 'b', new_str: 'b' });
        assert.equal(done.kind, 'done', 'with room again it goes on');
      }
    });
  });
  return { 'edits on a full disk': edits, 'truncated or changed': 0 };
}

/** A full disk shows as a short write before it shows as an error. */
function fill(path: string): void {
  const fd = openSync(path, 'w');
  try {
    while (writeSync(fd, Buffer.alloc(page)) > 0);
  } catch (error) {
    assert.match(String(error), /ENOSPC/);
  } finally {
    closeSync(fd);
  }
}
