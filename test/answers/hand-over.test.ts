import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Piscina } from 'piscina';
import type { Outcome } from '../../src/core/errors.js';
import { handOver, sizeOf } from '../../workers/answers/hand-over.js';
import type { TaskAnswer } from '../../src/core/thread/task.js';
import { unpack, type PackedAnswer } from '../../src/core/thread/packed-answer.js';

/** As the pool does it. */
async function cross(answer: readonly Outcome[]): Promise<{ arrived: TaskAnswer; moved: ArrayBuffer[] }> {
  const handed = await handOver(answer);
  assert.ok(typeof handed === 'object' && handed !== null);
  const moved = (Reflect.get(handed, Piscina.transferableSymbol) ?? []) as ArrayBuffer[];
  const value: unknown = moved.length === 0 ? handed : Reflect.get(handed, Piscina.valueSymbol);
  return { arrived: unpack(structuredClone(value as PackedAnswer, { transfer: moved })), moved };
}

const filled = (bytes: number): Buffer => Buffer.from(new ArrayBuffer(bytes)).fill('x');

/** The members of a result that are bytes, in order. */
function bytesIn(outcome: TaskAnswer[number]): Uint8Array[] {
  return outcome.ok === true ? Object.values(outcome.result).filter((value) => value instanceof Uint8Array) : [];
}

describe('the memory of an answer', () => {
  it('is transferred if large, all outcomes in one pass, and copied if small', async () => {
    const large = [filled(20_000), filled(30_000)];
    const small = filled(100);
    const { arrived, moved } = await cross([
      { ok: true, result: { content: large[0] } },
      { ok: false, kind: 'not_found', message: '', details: '' },
      { ok: true, result: { content: small } },
      { ok: true, result: { files: large[1] } },
    ]);
    assert.equal(moved.length, 2);
    assert.deepEqual(
      large.map(({ length }) => length),
      [0, 0],
      'gone from here',
    );
    assert.equal(small.length, 100);
    const sizes = arrived.map((outcome) => bytesIn(outcome).map(({ byteLength }) => byteLength));
    assert.deepEqual(sizes, [[20_000], [], [100], [30_000]]);
  });

  it('is transferred in pieces if a member is, and each is counted', async () => {
    const large = filled(20_000);
    const outcome: Outcome = { ok: true, result: { files: [large.subarray(0, -1), Buffer.from('small')] } };
    assert.equal(sizeOf(outcome), 20_004);
    const { arrived, moved } = await cross([outcome]);
    assert.deepEqual([moved.length, large.length], [1, 0]);
    const [answer] = arrived;
    assert.ok(answer?.ok === true && Array.isArray(answer.result['files']));
    assert.deepEqual(
      answer.result['files'].map(({ byteLength }: Uint8Array) => byteLength),
      [19_999, 5],
    );
  });

  it('is transferred once if a result and its members share it, and stays shared', async () => {
    const json = filled(40_000);
    const result = { content: json.subarray(10, 30_000), other: json.subarray(30_000, 39_000) };
    const { arrived, moved } = await cross([{ ok: true, json, result }]);
    assert.equal(moved.length, 1);
    const [outcome] = arrived;
    assert.ok(outcome?.ok === true && outcome.json !== undefined);
    const [content, other] = bytesIn(outcome);
    assert.equal(outcome.json.byteLength, 40_000);
    assert.equal(content?.buffer, outcome.json.buffer);
    assert.deepEqual([content.byteOffset, other?.byteLength], [10, 9_000]);
  });

  it('is transferred if small texts are large in total', async () => {
    const texts = Array.from({ length: 20 }, (): Outcome => {
      const json = filled(1_000);
      return { ok: true, json, hash: 'abc', result: { content: json.subarray(10, 900), total_lines: 1 } };
    });
    const { arrived, moved } = await cross(texts);
    assert.deepEqual(
      moved.map(({ byteLength }) => byteLength),
      [0],
    );
    assert.equal(arrived.length, 20);
    assert.equal((await cross(texts.slice(0, 10))).moved.length, 0);
  });

  it('is not transferred if it may be shared with others', async () => {
    const { moved } = await cross([{ ok: true, result: { content: filled(50_000).subarray(1) } }]);
    assert.deepEqual(moved, []);
  });

  it('is counted once', () => {
    const json = filled(1_000);
    assert.equal(sizeOf({ ok: true, json, result: { content: json.subarray(1) } }), 1_000);
    assert.equal(sizeOf({ ok: true, result: { content: filled(10), files: filled(5), total_lines: 3 } }), 15);
    assert.equal(sizeOf({ ok: false, kind: 'internal', message: '', details: '' }), 0);
  });
});
