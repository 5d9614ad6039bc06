import assert from 'node:assert/strict';
import { lstatSync, utimesSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FileText } from '../../workers/commit/file-text.js';
import { WrittenTexts } from '../../workers/commit/written-texts.js';
import { spareTexts } from '../../workers/text/spare-memory.js';
import { withDirectory } from '../directory.js';

const mb = 1_048_576;
const names = ['a', 'b', 'c'] as const;

/** Lend the stats of some files; those of each change when it is touched. */
function withFiles(
  use: (statsOf: (name: string) => BigIntStats, touch: (name: string) => void) => void,
): Promise<void> {
  return withDirectory(Object.fromEntries(names.map((name) => [name, name])), (directory) => {
    use(
      (name) => lstatSync(join(directory, name), { bigint: true }),
      (name) => {
        utimesSync(join(directory, name), 1, 1);
      },
    );
  });
}

const text = (bytes: number): FileText => new FileText(spareTexts.takeBytes(bytes));

describe('the texts that were written last', () => {
  it('are handed out once, so that nobody else gives their memory away', () =>
    withFiles((statsOf) => {
      const written = new WrittenTexts();
      const kept = text(mb);
      written.keep({ stats: statsOf('a'), text: kept });
      assert.equal(written.take(statsOf('b')), undefined);
      assert.equal(written.take(statsOf('a')), kept);
      assert.equal(written.take(statsOf('a')), undefined);
    }));

  it('are dropped, and their memory used again, once the file is another version', () =>
    withFiles((statsOf, touch) => {
      const written = new WrittenTexts();
      const kept = text(mb);
      written.keep({ stats: statsOf('a'), text: kept });
      touch('a');
      assert.equal(written.take(statsOf('a')), undefined);
      assert.equal(spareTexts.takeBytes(mb).buffer, kept.bytes.buffer);
    }));

  it('take the memory of one text for each file, also if the number of one that is gone is given to another', () =>
    withFiles((statsOf) => {
      const written = new WrittenTexts();
      const stats = statsOf('a');
      for (let file = 0; file < 10; file++) written.keep({ stats, text: text(mb) });
      const last = text(mb);
      written.keep({ stats, text: last });
      assert.equal(written.take(stats), last);
      for (const name of ['b', 'c']) written.keep({ stats: statsOf(name), text: text(2 * mb) });
      assert.ok(written.take(statsOf('b')), 'there is room for both');
    }));

  it('are dropped beyond 4 MB in all, the oldest first', () =>
    withFiles((statsOf) => {
      const written = new WrittenTexts();
      for (const name of names) written.keep({ stats: statsOf(name), text: text(2 * mb) });
      assert.deepEqual(
        names.map((name) => written.take(statsOf(name)) !== undefined),
        [false, true, true],
      );
    }));

  it('are neither small nor large', () => {
    const sizes = [1000, 65_535, 65_536, 2 * mb, 2 * mb + 1];
    assert.deepEqual(
      sizes.map((bytes) => WrittenTexts.takes(new FileText(Buffer.alloc(bytes)))),
      [false, false, true, true, false],
    );
    const part = new FileText(Buffer.alloc(4 * mb).subarray(0, mb));
    assert.equal(WrittenTexts.takes(part), false, 'it would keep all of its memory');
  });
});
