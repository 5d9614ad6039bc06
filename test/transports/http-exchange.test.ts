/** What requests being executed hold, and what is read meanwhile (spec 6), on a listener without a socket. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Answer, Site } from '../../src/transports/site.js';
import { smallBody } from '../../src/transports/http-body.js';
import { Exchange } from '../../src/transports/http-exchange.js';
import { RequestHead } from '../../src/transports/http-guard.js';
import { OpenExchanges } from '../../src/transports/open-exchanges.js';
import { mb } from './http-harness.js';

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

  leaveNow(): void {
    this.leave();
  }
}

/** Calls that weigh so much and are not answered before `end` is called. */
function pendingCalls(weight: () => number): { site: Site; end: (() => void)[] } {
  const end: (() => void)[] = [];
  const refuse = (): Answer => ({ ...answer, status: 413 });
  const run = (): Promise<Answer> =>
    new Promise((resolve) => {
      end.push(() => {
        resolve(answer);
      });
    });
  return {
    site: {
      judge: () => ({ need: () => ({ bytes: 0, purpose: 'write' }), weight, run }),
      refuse,
      tooLarge: refuse,
      unforeseen: refuse,
    },
    end,
  };
}

function begin(all: OpenExchanges, bodyLength: number, path = '/edit_file'): FakeExchange {
  const head = new RequestHead('POST', path);
  head.take('host', 'localhost');
  head.take('content-length', String(bodyLength));
  const exchange = new FakeExchange(head, all);
  exchange.begin();
  return exchange;
}

describe('requests whose answers take long', () => {
  it('keep large bodies from being read while they hold 256 MB, until one is answered', async () => {
    const { site, end } = pendingCalls(() => 64 * mb);
    const all = new OpenExchanges(site, mb);
    const earlier = [1, 2, 3, 4].map(() => begin(all, 2));
    for (const exchange of earlier) exchange.arrive(Buffer.from('{}'), true);
    assert.equal(end.length, 4, 'all of them fit exactly');

    const body = Buffer.alloc(smallBody + 1, ' ');
    const late = begin(all, body.length);
    late.arrive(body.subarray(0, 100), false);
    assert.equal(late.reading, false);
    end.shift()?.();
    await setImmediate();
    assert.ok(earlier[0]?.sent !== undefined);
    assert.equal(late.reading, true);
    late.arrive(body.subarray(100), true);
    assert.equal(end.length, 4);
  });

  it('are weighed once', () => {
    let weighed = 0;
    const weight = (): number => ++weighed;
    const { site } = pendingCalls(weight);
    begin(new OpenExchanges(site, mb), 2).arrive(Buffer.from('{}'), true);
    assert.equal(weighed, 1);
  });

  it('give back all that they held when they are answered', async () => {
    const { site, end } = pendingCalls(() => 200 * mb);
    const all = new OpenExchanges(site, mb);
    for (let round = 0; round < 10; round++) {
      const exchange = begin(all, 2);
      exchange.arrive(Buffer.from('{}'), true);
      for (const finish of end.splice(0)) finish();
      await setImmediate();
    }
    assert.ok(all.budget.begin('body', 256 * mb));
    assert.ok(!all.budget.begin('body', 1));
  });
});

describe('a request that waits for memory while its client leaves', () => {
  const runs = (purpose: 'read' | 'write'): string[] => {
    const run: string[] = [];
    const site: Site = {
      judge: ({ path }) => ({
        need: () => ({ bytes: mb, purpose }),
        weight: () => 0,
        run: () => {
          run.push(path);
          return answer;
        },
      }),
      refuse: () => answer,
      tooLarge: () => answer,
      unforeseen: () => answer,
    };
    const all = new OpenExchanges(site, mb, { memory: 2 * mb });
    all.budget.holdAnswer(2 * mb);
    const [leaving, staying] = [begin(all, 2, '/leaves'), begin(all, 2, '/stays')];
    for (const exchange of [leaving, staying]) exchange.arrive(Buffer.from('{}'), true);
    assert.deepEqual(run, []);
    leaving.leaveNow();
    all.budget.releaseAnswer(2 * mb);
    assert.ok(all.budget.begin(purpose, mb), 'nothing is held any more');
    return run;
  };

  it('is executed if it may write', () => {
    assert.deepEqual(runs('write'), ['/leaves', '/stays']);
  });

  it('is forgotten if it reads', () => {
    assert.deepEqual(runs('read'), ['/stays']);
  });
});
