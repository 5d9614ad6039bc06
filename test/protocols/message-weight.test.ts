import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { weightOf } from '../../src/protocols/message-weight.js';
import { RequestHead } from '../../src/transports/http-guard.js';
import { read, siteOf } from '../transports/http-harness.js';

const call = '{"jsonrpc":"2.0","id":1,"method":"edit_file","params":{"name":"a.txt","append":"x"}}';
const weigh = (text: string): number => weightOf(Buffer.from(text));
/** What a call that waits was measured to hold beside its message, in bytes. */
const measured = 3100;

describe('what a message holds until it is answered', () => {
  it('is its bytes, and what a call that waits is made of', () => {
    const beside = weigh(call) - call.length;
    assert.ok(beside > measured && beside < 2 * measured, String(beside));
    const long = call.replace('"x"', `"${'x'.repeat(1_000_000)}"`);
    assert.equal(weigh(long) - long.length, beside);
  });

  for (const start of ['[', ' [', '\t\r\n [ ', `${' '.repeat(63)}[`, `${'\n'.repeat(1000)}[`]) {
    it(`is that of every call in a batch that begins with ${JSON.stringify(start)}`, () => {
      const calls = 1000;
      const batch = `${start}${Array.from({ length: calls }, () => call).join(',')}]`;
      assert.ok(weigh(batch) >= batch.length + calls * measured);
    });
  }

  it('is that of one call behind some white space, of which no more than 64 bytes are looked at', () => {
    const calls = (blanks: number): number => {
      const text = ' '.repeat(blanks) + call.replace('"x"', `"${'x'.repeat(10_000)}"`);
      return (weigh(text) - text.length) / (weigh(call) - call.length);
    };
    assert.deepEqual([calls(0), calls(1), calls(63)], [1, 1, 1]);
    assert.ok(calls(64) > 100);
  });

  it('is that of the 10,000 calls that a batch may have at most, however long it is', () => {
    const long = '['.padEnd(50_000_000, ' ');
    assert.ok(weigh(long) < long.length + 10_000 * 2 * measured);
  });

  it('is bounded for what is no message, too', () => {
    for (const text of ['', ' ', '[', '\n\n', '\u00ef\u00bb\u00bf[']) assert.ok(weigh(text) < 3 * measured, text);
  });
});

describe('what is posted holds until it is answered', () => {
  const site = siteOf(() => read);
  for (const path of ['/edit_file', '/create', '/apply_edits', '/mcp']) {
    it(`at least its body (${path})`, () => {
      const head = new RequestHead('POST', path);
      head.take('host', 'localhost');
      head.take('content-type', 'application/json');
      const work = site.judge(head);
      assert.ok('weight' in work);
      assert.ok(work.weight(Buffer.alloc(5_000_000)) >= 5_000_000);
    });
  }
});
