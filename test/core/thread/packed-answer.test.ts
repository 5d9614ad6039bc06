import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import type { FileIdentity } from '../../../src/core/file-identity.js';
import { pack, unpack } from '../../../src/core/thread/packed-answer.js';
import type { TaskAnswer } from '../../../src/core/thread/task.js';

type Answer = TaskAnswer[number];

const stamp = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const identity: fc.Arbitrary<FileIdentity> = fc.record(
  {
    dev: stamp,
    ino: stamp,
    size: stamp,
    mtimeNs: stamp,
    ctimeNs: stamp,
  },
  { noNullPrototype: true },
);

/** Shaped like the answer of read_file. */
const text: fc.Arbitrary<Answer> = fc
  .record({
    content: fc.string({ unit: 'binary', maxLength: 40 }).map((content) => JSON.stringify(content)),
    total_lines: fc.nat(),
    hash: fc.stringMatching(/^[0-9a-f]{16}$/),
    identity: fc.option(identity, { nil: undefined }),
  })
  .map(({ content, total_lines, hash, identity }): Answer => {
    const json = Buffer.from(`{"content":${content},"total_lines":${String(total_lines)}}`);
    const result = { content: json.subarray(11, 11 + Buffer.byteLength(content)), total_lines };
    return { ok: true, result, json, hash, ...(identity === undefined ? {} : { identity }) };
  });

const other: fc.Arbitrary<Answer> = fc.constantFrom<Answer>(
  { ok: false, kind: 'not_found', message: 'File', details: 'Look.' },
  { ok: null },
  { ok: true, result: { success: true }, hash: 'abc' },
  { ok: true, result: { total_count: 0 }, json: Buffer.from('{"total_count":0}') },
  { ok: true, result: { content: Buffer.from('""'), total_lines: 0 }, json: Buffer.alloc(20_000, 'x'), hash: 'abc' },
);

/** Bytes as text: a Buffer becomes a plain Uint8Array when it crosses the border. */
const legible = (answer: TaskAnswer): unknown =>
  answer.map((outcome) => {
    if (outcome.ok !== true) return outcome;
    const show = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value).toString() : value);
    const members = Object.entries(outcome.result).map(([name, value]): [string, unknown] => [name, show(value)]);
    return { ...outcome, json: show(outcome.json), result: Object.fromEntries(members) };
  });

describe('a packed answer', () => {
  it('is the same after crossing the thread border, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(text, other), { maxLength: 20 }), (answer) => {
        assert.deepEqual(legible(unpack(structuredClone(pack(answer)))), legible(answer));
      }),
    );
  });

  it('keeps small texts in one memory, and has none without them', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (answer) => {
        const memories = unpack(pack(answer)).map((outcome) => outcome.ok === true && outcome.json?.buffer);
        assert.equal(new Set(memories).size, 1);
      }),
    );
    assert.equal(pack([{ ok: null }]).memory, null);
  });
});
