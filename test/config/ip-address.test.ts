import assert from 'node:assert/strict';
import { isIP, SocketAddress } from 'node:net';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { canonicalAddress, isLoopback } from '../../src/config/ip-address.js';

/** Texts that resemble addresses; some are. */
const nearly = fc
  .array(fc.constantFrom('0', '1', '7f', 'ffff', '127', '256', '01', ':', '::', '.', '%', '[', 'g', ' ', '/', '@'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

describe('an IP address', () => {
  it('is what node:net accepts, with the same meaning', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), nearly, fc.string()), (text) => {
        // With a %, it also names an interface.
        const version = text.includes('%') ? 0 : isIP(text);
        const canonical = canonicalAddress(text);
        assert.equal(canonical !== undefined, version !== 0);
        if (canonical === undefined) return;
        const family = version === 6 ? 'ipv6' : 'ipv4';
        const meant = (address: string): string => new SocketAddress({ address, family }).address;
        assert.equal(meant(canonical), meant(text));
        assert.equal(canonicalAddress(canonical), canonical);
      }),
      { numRuns: 2_000 },
    );
  });

  for (const [host, expected] of [
    ['localhost', true],
    ['mcp.localhost', true],
    ['127.0.0.1', true],
    ['127.255.255.254', true],
    ['::1', true],
    ['[::1]', true],
    ['0:0:0:0:0:0:0:1', true],
    ['[0::1]', true],
    ['127.0.0.1.example.com', false],
    ['127.1', false],
    ['0177.0.0.1', false],
    ['2130706433', false],
    ['localhost.', false],
    ['0.0.0.0', false],
    ['::', false],
    ['[::ffff:127.0.0.1]', false],
    ['[::1', false],
  ] as const) {
    it(`${host} ${expected ? 'is loopback only' : 'is not known to be loopback'}`, () => {
      assert.equal(isLoopback(host), expected);
    });
  }
});
