import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Log } from '../../src/observe/log.js';
import { reportStart } from '../../src/observe/start-report.js';
import { testConfig } from '../transports/http/harness.js';

/** The level of the line about a slow start, if there is one. */
function levelFor(startMs: number, nodeMs: number): string | undefined {
  const lines: (readonly [level: string, message: string])[] = [];
  const at = (level: string) => (_: unknown, message: string) => void lines.push([level, message]);

  const log: Log = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
  };
  reportStart(testConfig({}), log, 'serves', startMs, nodeMs);
  assert.deepEqual(lines[0], ['info', 'serves']);
  return lines.find(([, message]) => message.startsWith('the start took longer than 100 ms'))?.[0];
}

it('a start over 100 ms is told, and is a warning where Node itself was quick', () => {
  assert.equal(levelFor(100, 20), undefined);
  assert.equal(levelFor(101, 20), 'warn');
  assert.equal(levelFor(101, 30), 'info', 'an ordinary machine');
  assert.equal(levelFor(600, 200), 'info', 'a busy one');
  assert.equal(levelFor(900, 200), 'warn');
});
