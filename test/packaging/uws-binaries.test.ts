/**
 * The binaries behind uWebSockets.js come from a republication (SECURITY.md). These are the hashes that were compared with
 * other copies, so another set of binaries needs another comparison. The lock file pins the package as npm packs it; this
 * pins what is loaded, however it was installed.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';

const installed = new URL('../../node_modules/uWebSockets.js/', import.meta.url);
const isInstalled = existsSync(installed);

it(
  'the binaries of uWebSockets.js are those that were compared, and no others',
  { skip: !isInstalled && 'was installed without it' },
  () => {
    const found = readdirSync(installed)
      .filter((name) => name.endsWith('.node'))
      .map(
        (name) =>
          `${createHash('sha256')
            .update(readFileSync(new URL(name, installed)))
            .digest('hex')}  ${name}`,
      );
    const pinned = readFileSync(new URL('uws-binaries.sha256', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n');
    assert.equal(pinned.length, 54);
    assert.deepEqual(found.sort(), pinned.sort());
  },
);
