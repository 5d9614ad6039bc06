import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepBody, takeBodyMemory } from '../../../src/core/memory/bodies.js';
import { parseJson } from '../../../src/core/json/json-body.js';
import { giveTexts, lendBody } from '../../../src/core/json/lent-texts.js';
import { sharedBytes } from '../../../src/core/memory/shared.js';

const filler = 'x'.repeat(400_000);
const names = new Set(['content']);

/** A body that has been received and parsed. */
function lent(value: object, memory = takeBodyMemory): { readonly memory: ArrayBufferLike; readonly value: unknown } {
  const text = JSON.stringify(value);
  const taken = memory(text.length);
  const body = keepBody(taken, taken.write(text));
  const read = parseJson(body, names);
  assert.ok(read.ok);
  lendBody(body, read);
  return { memory: body.buffer, value: read.value };
}

/** Whether the memory serves the next body of that length; asking takes it. */
const isFree = ({ memory }: { readonly memory: ArrayBufferLike }): boolean => {
  const taken = Array.from({ length: 20 }, () => takeBodyMemory(memory.byteLength).buffer);
  return taken.some((each) => each === memory);
};

describe('the memory of a body', () => {
  it('is reused once the calls with its texts have ended, and not before', () => {
    const body = lent([{ content: `${filler}1` }, { edits: [{ content: `${filler}2` }] }]);
    const [first, second] = body.value as [object, object];
    giveTexts(first);
    giveTexts(first);
    assert.ok(!isFree(body), 'one has not ended');
    giveTexts({ name: 'a', ...second });
    assert.ok(isFree(body));
  });

  it('is reused immediately if it holds no text', () => {
    assert.ok(isFree(lent({ name: `${filler}1` })));
  });

  it('is left to the collector if a call never ends, or never begins', () => {
    const body = lent({ content: filler });
    giveTexts({ content: 'another' });
    assert.ok(!isFree(body));
  });

  it('is not taken if it belongs to someone else', () => {
    const body = lent({ content: filler }, sharedBytes);
    giveTexts(body.value);
    assert.ok(!isFree(body));
  });
});
