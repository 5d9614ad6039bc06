import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import {
  join,
  leastScattered,
  portionsOf,
  sourceOfParts,
  unlessSame,
  wholeOf,
} from '../../workers/text/scattered-text.js';
import { PartCursor } from '../../workers/text/rope/part-cursor.js';
import { untouched } from '../../workers/text/rope/piece.js';
import { textMemory } from '../../workers/text/text-memory.js';

const parts = fc
  .array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 })
  .map((arrays) => arrays.map((each) => Buffer.from(each)));

/** Over parts that begin anywhere in their memory. */
function sourceOf(buffers: readonly Buffer[]): ReturnType<typeof sourceOfParts> {
  const pieces = buffers.map((part, index) => {
    const before = index % 3;
    return untouched(Buffer.concat([Buffer.alloc(before), part, Buffer.alloc(2)]), before, before + part.length);
  });
  return sourceOfParts(new PartCursor(pieces));
}

describe('a text in parts', () => {
  it('reads as if contiguous, whatever is skipped and however much is requested', () => {
    const reads = fc.array(fc.record({ skip: fc.nat(150), size: fc.nat(150) }), { maxLength: 30 });
    fc.assert(
      fc.property(parts, reads, (buffers, wanted) => {
        const whole = Buffer.concat(buffers);
        const source = sourceOf(buffers);
        let at = 0;
        for (const { skip, size } of wanted) {
          const target = Buffer.alloc(size, 0xee);
          at += skip;
          const length = source(target, at);
          assert.ok(target.subarray(0, length).equals(whole.subarray(at, at + size)));
          assert.equal(length, Math.min(size, Math.max(whole.length - at, 0)));
          at += length;
        }
      }),
    );
  });

  const large = Buffer.alloc(leastScattered, 'The quick brown fox\n');
  const joined = [large.subarray(0, 100_000), Buffer.from('jumps'), Buffer.alloc(0), large.subarray(100_000), large];
  const expected = Buffer.concat(joined);

  it('can be read repeatedly, in pieces that are whole each time', () => {
    const text = join(joined);
    for (let round = 0; round < 3; round++) {
      const pieces = Array.from(portionsOf(text), (piece) => Buffer.from(piece));
      assert.ok(Buffer.concat(pieces).equals(expected));
      assert.ok(pieces.length > 1);
    }
  });

  it('keeps its pieces apart from those of a text that is read at the same time', () => {
    const [one, other] = [portionsOf(join(joined)), portionsOf(join([Buffer.alloc(leastScattered, 'x'), large]))];
    const piece: unknown = one.next().value;
    other.next();
    assert.ok(Buffer.isBuffer(piece) && piece.equals(expected.subarray(0, piece.length)));
    one.return(undefined);
    other.return(undefined);
  });

  it('is the old text itself if all bytes are equal', () => {
    const old = Buffer.from(expected);
    assert.equal(unlessSame(old, join(joined)), old);
    const changed = join([...joined.slice(0, -1), large.subarray(1), Buffer.from('!')]);
    assert.equal(changed.length, old.length);
    assert.equal(unlessSame(old, changed), changed);
    const longer = join([...joined, Buffer.from('!')]);
    assert.equal(unlessSame(old, longer), longer);
  });

  it('is never taken for whole if it is shorter than it claims', () => {
    const short = { length: 10, source: () => sourceOf([Buffer.from('abc')]), release: () => undefined };
    assert.throws(() => wholeOf(short), /3 bytes instead of 10/);
  });
});

describe('joining parts of a text', () => {
  it('copies them if they are small in total', () => {
    const text = join([Buffer.from('a'), Buffer.from('b')]);
    assert.ok(Buffer.isBuffer(text));
    assert.equal(text.toString(), 'ab');
  });

  it('leaves them in place if they are large in total', () => {
    const large = Buffer.alloc(leastScattered, 'The quick brown fox\n');
    const parts = [large.subarray(0, 100_000), Buffer.from('jumps'), Buffer.alloc(0), large.subarray(100_000)];
    const text = join(parts);
    assert.ok(!Buffer.isBuffer(text));
    const expected = Buffer.concat(parts);
    assert.equal(text.length, expected.length);
    assert.ok(wholeOf(text).equals(expected));
  });

  it('frees the memory they own, once, and nothing else', () => {
    // Smaller memory would be kept for the next text.
    const bytes = 2 * leastScattered;
    const [own, other] = [textMemory.take(bytes), textMemory.take(bytes)];
    const text = join([own, other], [own]);
    assert.ok(!Buffer.isBuffer(text));
    text.release();
    text.release();
    assert.deepEqual([own.length, other.length], [0, bytes]);
  });
});
