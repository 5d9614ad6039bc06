import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Outcome } from '../../../src/core/errors.js';
import type { Patience } from '../../../src/transports/http/patience.js';
import { kinds, mb, pause, request, withServer, type RecordedCall } from './harness.js';

/**
 * A client that reads anything never counts as stalled this long, though it is much shorter than the time until its
 * socket becomes writable again.
 */
const hurried: Partial<Patience> = { sweepMs: 100, lookMs: 200, takeStallMs: 3000 };
/** How long slow clients are slow, and stopped ones stop: several stalls. */
const slowMs = 7000;
const stepMs = 400;
/** On a busy machine the slow client may read too little to be noticed. */
const mostAttempts = 3;

/** Requests an answer of a given size and reads it as directed: unread bytes stay in the system. */
class Taker {
  taken = 0;
  private ended = false;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (piece) => {
      this.taken += piece.length;
    });
    socket.on('error', () => undefined).on('close', () => (this.ended = true));
  }

  static async ask(port: number, bytes: number): Promise<Taker> {
    const socket = connect({ port, host: '127.0.0.1' });
    const taker = new Taker(socket.pause());
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(request('/read_file', JSON.stringify({ name: String(bytes) }), ['Connection: close']));
    return taker;
  }

  /** Read 64 kB now and then: too little in total for the socket to become writable again. */
  async takeSlowly(): Promise<void> {
    for (let ms = 0; ms < slowMs && !this.ended; ms += stepMs) {
      this.socket.once('data', () => this.socket.pause()).resume();
      await pause(stepMs);
    }
  }

  /** Read the rest. @returns the total size */
  async takeRest(): Promise<number> {
    this.socket.resume();
    while (!this.ended) await pause(20);
    return this.taken;
  }
}

function outcome({ params }: RecordedCall): Outcome {
  const bytes = Number((params as { name: string }).name);
  return { ok: true, result: { content: Buffer.from(`"${'y'.repeat(bytes - '{"content":""}'.length)}"`) } };
}

const config = { maxBytes: 64 * mb, maxSizeMb: 64 };

describe('clients that read their answer slowly', { concurrency: true }, () => {
  for (const kind of kinds) {
    const skip = kind === 'node' && process.platform !== 'linux' && 'only Linux tells what clients of node:http take';

    it(`are served in full; next to them, a client that reads nothing is cut off (${kind})`, { skip }, async () => {
      await withServer(
        kind,
        async ({ port }) => {
          for (let attempt = 1; ; attempt++) {
            const [slow, stopped] = await Promise.all([Taker.ask(port, 10 * mb), Taker.ask(port, 10 * mb)]);
            await slow.takeSlowly();
            const taken = await slow.takeRest();
            assert.ok((await stopped.takeRest()) < 10 * mb, 'the stopped one was not cut off');
            if (taken > 10 * mb) break;
            assert.ok(attempt < mostAttempts, 'the slow one was cut off');
          }
        },
        { config, patience: hurried, outcome },
      );
    });

    // uWebSockets.js cannot report progress when so few bytes are left.
    it(`are so even if only a few bytes remain to be sent (${kind})`, { skip }, async () => {
      await withServer(
        kind,
        async ({ port }) => {
          // System buffers vary in size: if they hold the whole answer, there is no client to cut off.
          for (let attempt = 1; ; attempt++) {
            const probe = await Taker.ask(port, 10 * mb);
            await pause(slowMs);
            const handedOver = await probe.takeRest();
            const bytes = handedOver + 8000;
            const [slow, stopped] = await Promise.all([Taker.ask(port, bytes), Taker.ask(port, bytes)]);
            // As many bytes as the probe are handed over before the first is read.
            await pause(stepMs);
            await slow.takeSlowly();
            const taken = await slow.takeRest();
            await pause(slowMs);
            const stoppedTook = await stopped.takeRest();
            if (taken > bytes && stoppedTook < bytes) break;
            assert.ok(
              attempt < mostAttempts,
              taken > bytes ? 'the stopped one was not cut off' : 'the slow one was cut off',
            );
          }
        },
        { config, patience: hurried, outcome },
      );
    });

    it(`are cut off if they keep asking and read nothing, even if each answer is small (${kind})`, async () => {
      await withServer(
        kind,
        async ({ port, calls }) => {
          const socket = connect({ port, host: '127.0.0.1' }).pause();
          await new Promise((resolve) => socket.once('connect', resolve));
          const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
          const asked = async (): Promise<boolean> => {
            const before = calls.length;
            socket.write(request('/read_file', JSON.stringify({ name: '200000' })));
            for (let waited = 0; waited < 2000 && calls.length === before; waited += 10) await pause(10);
            return calls.length > before;
          };
          while (await asked());
          await pause(slowMs);
          socket.resume();
          assert.equal(await Promise.race([closed.then(() => 'cut off'), pause(3000)]), 'cut off');
          socket.destroy();
        },
        { patience: hurried, outcome },
      );
    });
  }
});
