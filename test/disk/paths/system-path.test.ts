import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { describe, it } from 'node:test';
import { namesBelow, namesOf, pathBelow, textOfLink } from '../../../workers/disk/paths/system-path.js';

const native = (path: string): string => path.replaceAll('/', sep);

describe('a path of the system', () => {
  it('has the separators of the system alone, and leads back to its names', () => {
    for (const directory of ['/srv/files', '/'].map(native)) {
      const path = pathBelow(directory, 'sub/deep/a.txt');
      assert.equal(path, native(directory.endsWith(sep) ? '/sub/deep/a.txt' : '/srv/files/sub/deep/a.txt'));
      assert.equal(namesBelow(directory, path), 'sub/deep/a.txt');
    }
  });

  it('lies below a directory only if that is a whole part of it', () => {
    assert.equal(namesBelow(native('/srv/files'), native('/srv/files2/a')), undefined);
    assert.equal(namesBelow(native('/srv/files'), native('/srv')), undefined);
  });

  it('is split at the separators of the system', () => {
    assert.deepEqual(namesOf(native('../a/b')), ['..', 'a', 'b']);
    assert.equal(textOfLink(native('.file-editor/moving/here')), '.file-editor/moving/here');
  });
});

describe('names and paths of the system', () => {
  /** Whoever else joins or splits paths would bring in a second form of them. */
  it('are turned into each other in one module of the threads', () => {
    const users = readdirSync('workers', { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.ts') && file !== 'disk/paths/system-path.ts')
      .filter((file) =>
        /\bsep\b|\bjoin\(\w*(?:directory|path|base)|\$\{\w*(?:directory|base)\}\//i.test(
          readFileSync(`workers/${file}`, 'utf8'),
        ),
      );
    assert.deepEqual(users, []);
    const callers = readdirSync('workers', { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => /from '[./a-z-]*system-path\.js'/.test(readFileSync(`workers/${file}`, 'utf8')));
    assert.deepEqual(callers.sort(), [
      'changes/record/changeable.ts',
      'disk/calls.ts',
      'disk/metadata/metadata.ts',
      'disk/paths/anchor.ts',
      'disk/paths/link.ts',
      'disk/paths/names.ts',
      'disk/paths/open-listed.ts',
      'disk/paths/parent.ts',
      'disk/paths/placeholder.ts',
      'disk/paths/root.ts',
      'disk/paths/spelling.ts',
      'disk/write/remote.ts',
    ]);
  });
});
