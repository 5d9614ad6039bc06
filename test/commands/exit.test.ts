import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { print } from '../../src/commands/exit.js';
import { withDirectory } from '../directory.js';

describe('the output of a command', () => {
  it('is written in full to a non-blocking pipe', () =>
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

  it('is dropped if there is no reader', () => {
    assert.doesNotThrow(() => {
      print(-1, 'one');
    });
  });
});
