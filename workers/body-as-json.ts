import type { Outcome } from '../src/core/errors.js';
import { parseJson } from '../src/core/json/json-body.js';
import type { UnreadBody } from '../src/core/thread/task.js';

/**
 * Nothing looks deeper into a body: an edit in a batch of MCP is at depth 7. To copy a value to another thread takes
 * stack for each level, and fails at some thousands of them, of which JSON.parse makes any number.
 */
const deepest = 64;

/** What is in the body of a request: as `value`, or why it could not be read, an Unread of parseJson. */
export function bodyAsJson({ bytes, largeTexts, begun }: UnreadBody): Outcome {
  Atomics.store(new Int32Array(begun), 0, 1);
  const { buffer, byteOffset, byteLength } = bytes;
  const parsed = parseJson(Buffer.from(buffer, byteOffset, byteLength), largeTexts);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  emptyBelow(value, deepest);
  return { ok: true, result: { value } };
}

function emptyBelow(value: unknown, levels: number): void {
  if (!isContainer(value)) return;
  for (const [name, member] of Object.entries(value) as Iterable<[string, unknown]>) {
    if (levels > 1) emptyBelow(member, levels - 1);
    else if (isContainer(member)) Reflect.set(value, name, Array.isArray(member) ? [] : {});
  }
}

/** Not a large text, whose bytes would be its members. */
function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
