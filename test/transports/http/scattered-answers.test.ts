/** Answers in several pieces of memory reach clients whole, however slowly they read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';
import { ScatteredBytes } from '../../../src/core/json/scattered-bytes.js';
import type { Answer } from '../../../src/transports/http/site.js';
import { certificates } from '../../certificates.js';
import { allKinds, listen, request, testConfig, tlsFiles, type Kind } from './harness.js';

const mb = 1_048_576;
/** The amount that uWebSockets.js buffers before it writes. */
const corked = 16_384;

const bodies: readonly (readonly number[])[] = [
  [1],
  [1, 1],
  [corked - 1, 1, 1],
  [corked, corked, corked],
  [70, 3 * mb, 30],
  [9 * mb, 1],
  [3 * mb, 7, 3 * mb, corked + 1, 3 * mb],
  Array.from({ length: 300 }, (_, index) => 50_000 + index),
];

function bodyOf(lengths: readonly number[]): ScatteredBytes {
  return new ScatteredBytes(lengths.map((length, index) => Buffer.alloc(length, `${String(index)},`)));
}

/** Everything received by a client that reads a little at a time. */
async function takeSlowly(kind: Kind, port: number, method: string): Promise<Buffer> {
  const secure = kind.endsWith('TLS');
  const to = { port, host: '127.0.0.1' };
  const socket = secure ? connectSecurely({ ...to, rejectUnauthorized: false }) : connect(to);
  await once(socket, secure ? 'secureConnect' : 'connect');
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece);
    if (pieces.length % 20 > 0) return;
    socket.pause();
    void sleep(5).then(() => socket.resume());
  });
  socket.write(request(`${method} /`, '', ['Connection: close']));
  await once(socket, 'end');
  socket.destroy();
  return Buffer.concat(pieces);
}

describe('an answer in several pieces of memory', { concurrency: 2 }, () => {
  for (const kind of allKinds) {
    for (const lengths of bodies) {
      const name = lengths.length > 9 ? `${String(lengths.length)} pieces` : lengths.join(' + ');
      it(`arrives whole and in order: ${name} bytes (${kind})`, async () => {
        const body = bodyOf(lengths);
        const answer: Answer = { status: 200, headers: [], body, close: false };
        const site = { judge: () => answer, refuse: () => answer, tooLarge: () => answer, unforeseen: () => answer };
        const made = kind.endsWith('TLS') ? certificates() : undefined;
        const config = testConfig(made === undefined ? {} : { tls: tlsFiles(made) });
        const listener = await listen[kind](config, site);
        try {
          for (const method of ['GET', 'HEAD']) {
            const taken = await takeSlowly(kind, listener.port, method);
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
