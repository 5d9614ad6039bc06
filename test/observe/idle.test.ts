import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { Idle } from '../../src/observe/idle.js';

describe('an idle server', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  it('releases what it can after 8 s without a request, once', () => {
    let given = 0;
    const idle = new Idle(() => given++);
    idle.touch();
    mock.timers.tick(7_000);
    idle.touch();
    mock.timers.tick(7_000);
    assert.equal(given, 0);
    mock.timers.tick(5_000);
    assert.equal(given, 1);
    mock.timers.tick(60_000);
    assert.equal(given, 1);
    idle.touch();
    mock.timers.tick(12_000);
    assert.equal(given, 2, 'and again when it has worked meanwhile');
    idle.close();
  });

  it('collects garbage', () => {
    const megabytes = 64;
    let held = Array.from({ length: megabytes }, () => Buffer.alloc(1_048_576));
    const idle = new Idle(() => (held = []));
    idle.touch();
    const before = process.memoryUsage().arrayBuffers;
    mock.timers.tick(20_000);
    const freed = before - process.memoryUsage().arrayBuffers;
    assert.equal(held.length, 0);
    assert.ok(freed >= (megabytes - 1) * 1_048_576, `only ${String(freed)} bytes were freed`);
  });

  it('leaves no global gc function behind', () => {
    assert.equal(Reflect.get(globalThis, 'gc'), undefined);
  });
});
