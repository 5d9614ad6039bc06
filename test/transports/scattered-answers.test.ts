/** Answers in several places of memory reach clients whole, however slowly those take them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScatteredBytes } from '../../src/json/scattered-bytes.js';
import { usualPatience } from '../../src/transports/patience.js';
import type { Answer } from '../../src/transports/site.js';
import { kinds, listen, request, testConfig } from './http-harness.js';

const mb = 1_048_576;
/** What uWebSockets.js collects before it writes. */
const corked = 16_384;

const bodies: readonly (readonly number[])[] = [
  [1],
  [1, 1],
  [corked - 1, 1, 1],
  [corked, corked, corked],
  [70, 3 * mb, 30],
  [12 * mb, 1],
  [1, 12 * mb],
  [5 * mb, 7, 5 * mb, corked + 1, 5 * mb],
  Array.from({ length: 300 }, (_, index) => 50_000 + index),
];

function bodyOf(lengths: readonly number[]): ScatteredBytes {
  return new ScatteredBytes(lengths.map((length, index) => Buffer.alloc(length, `${String(index)},`)));
}

/** All that a client gets that takes a little at a time. */
async function takeSlowly(port: number, method: string): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece);
    socket.pause();
    void sleep(pieces.length % 20 === 0 ? 5 : 0).then(() => socket.resume());
  });
  socket.write(request(`${method} /`, '', ['Connection: close']));
  await once(socket, 'end');
  socket.destroy();
  return Buffer.concat(pieces);
}

describe('an answer in several places of memory', { concurrency: 2 }, () => {
  for (const kind of kinds) {
    for (const lengths of bodies) {
      const name = lengths.length > 9 ? `${String(lengths.length)} pieces` : lengths.join(' + ');
      it(`comes whole and in order: ${name} bytes (${kind})`, async () => {
        const body = bodyOf(lengths);
        const answer: Answer = { status: 200, headers: [], body, close: false };
        const site = { judge: () => answer, refuse: () => answer, tooLarge: () => answer, unforeseen: () => answer };
        const listener = await listen[kind](testConfig(), site, usualPatience);
        try {
          for (const method of ['GET', 'HEAD']) {
            const taken = await takeSlowly(listener.port, method);
            const head = taken.subarray(0, taken.indexOf('\r\n\r\n') + 4);
            assert.match(head.toString(), new RegExp(`content-length: ${String(body.length)}\\r\\n`, 'i'));
            const rest = taken.subarray(head.length);
            assert.ok(rest.equals(method === 'HEAD' ? Buffer.alloc(0) : body.joined()), `${String(rest.length)} bytes`);
          }
        } finally {
          await listener.close();
        }
      });
    }
  }
});
