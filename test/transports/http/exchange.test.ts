/** Memory held by running requests, and reads of bodies during them (spec 6), on a listener without a socket. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Budget } from '../../../src/call/budget.js';
import type { Answer, Site } from '../../../src/transports/http/site.js';
import { Exchange } from '../../../src/transports/http/exchange.js';
import { RequestHead } from '../../../src/transports/http/guard.js';
import { OpenExchanges } from '../../../src/transports/http/open-exchanges.js';
import { mb } from './harness.js';

const answer: Answer = { status: 200, headers: [], body: null, close: false };

class FakeExchange extends Exchange {
  reading = false;
  sent: Answer | undefined;

  protected override receive(): void {
    this.reading = true;
  }
  protected override setReceiving(on: boolean): void {
    this.reading = on;
  }
  protected override send(given: Answer): void {
    this.sent = given;
    this.leave();
  }
  protected override sendLast(): void {}
  protected override sendAndClose(given: Answer): void {
    this.send(given);
  }
  protected override cut(): void {
    this.leave();
  }
  protected override keepWaiting(): void {}
  protected override pushOn(): void {}
  protected override stuckQueue(): undefined {}

  arrive(piece: Buffer, last: boolean): void {
    this.take(piece, last);
  }

  get client(): { readonly gone: boolean } {
    return this.head;
  }

  leaveNow(): void {
    this.leave();
  }
}

/** Calls that are answered only when `end` is called. */
function pendingCalls(): { site: Site; end: (() => void)[] } {
  const end: (() => void)[] = [];
  const refuse = (): Answer => ({ ...answer, status: 413 });
  const run = (): Promise<Answer> =>
    new Promise((resolve) => {
      end.push(() => {
        resolve(answer);
      });
    });
  return { site: { judge: () => ({ run }), refuse, tooLarge: refuse, unforeseen: refuse }, end };
}

function begin(all: OpenExchanges, bodyLength: number, path = '/edit_file'): FakeExchange {
  const head = new RequestHead('POST', path);
  head.take('host', 'localhost');
  head.take('content-length', String(bodyLength));
  const exchange = new FakeExchange(head, all);
  exchange.begin();
  return exchange;
}

const large = Buffer.alloc(100_000, ' ');
/** Room for four large bodies. */
const limit = 400_000;

describe('requests with slow answers', () => {
  it('keep large bodies from being read while their own reach the limit, until one is answered', async () => {
    const { site, end } = pendingCalls();
    const all = new OpenExchanges(site, mb, new Budget(limit, 0));
    const earlier = [1, 2, 3, 4].map(() => begin(all, large.length));
    for (const exchange of earlier) exchange.arrive(large, true);
    assert.equal(end.length, 4);

    const late = begin(all, large.length);
    late.arrive(large.subarray(0, 100), false);
    assert.equal(late.reading, false);
    earlier[1]?.leaveNow();
    assert.equal(late.reading, false, 'its call goes on');
    end.shift()?.();
    await setImmediate();
    assert.ok(earlier[0]?.sent !== undefined);
    assert.equal(late.reading, true);
    late.arrive(large.subarray(100), true);
    assert.equal(end.length, 4);
  });

  it('release all their memory when answered, however their bodies arrived', async () => {
    const { site, end } = pendingCalls();
    const budget = new Budget(limit, 0);
    const all = new OpenExchanges(site, mb, budget);
    for (let round = 0; round < 10; round++) {
      const exchange = begin(all, large.length);
      if (round % 2 === 0) exchange.arrive(large.subarray(0, 50_000), false);
      exchange.arrive(large.subarray(round % 2 === 0 ? 50_000 : 0), true);
      for (const finish of end.splice(0)) finish();
      await setImmediate();
    }
    assert.ok(budget.begin('body', limit));
    assert.ok(!budget.begin('body', 1));
  });

  it('notify their calls when their client disconnects', () => {
    const { site } = pendingCalls();
    const exchange = begin(new OpenExchanges(site, mb, new Budget(limit)), 2);
    exchange.arrive(Buffer.from('{}'), true);
    assert.equal(exchange.client.gone, false);
    exchange.leaveNow();
    assert.equal(exchange.client.gone, true);
  });
});
