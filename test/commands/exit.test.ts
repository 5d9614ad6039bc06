import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { print } from '../../src/commands/exit.js';
import { withDirectory } from '../directory.js';

describe('what a command prints', () => {
  it('is printed whole into a pipe that does not wait for its reader', () =>
    withDirectory({}, async (dir) => {
      const pipe = join(dir, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
      const reader = spawn('cat', [pipe]);
      const read = text(reader.stdout);
      // A pipe holds 64 kB.
      const long = 'All of it is read.\n'.repeat(10_000);
      print(fd, long);
      closeSync(fd);
      assert.equal(await read, long);
    }));

  it('is given up if there is no reader', () => {
    assert.doesNotThrow(() => {
      print(-1, 'one');
    });
  });
});
