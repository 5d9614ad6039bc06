import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plainAddress } from '../../../src/transports/http/address.js';

it('the address of a client is named alike, however a listener writes it', () => {
  for (const [given, plain] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['0000:0000:0000:0000:0000:ffff:c000:0207', '192.0.2.7'],
    ['0000:0000:0000:0000:0000:0000:0000:0001', '::1'],
    ['::1', '::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['', undefined],
    [undefined, undefined],
  ] as const) {
    assert.equal(plainAddress(given), plain);
  }
});
