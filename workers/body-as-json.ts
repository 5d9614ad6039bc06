import type { Outcome } from '../src/core/errors.js';
import { parseJson } from '../src/core/json/json-body.js';
import type { UnreadBody } from '../src/core/thread/task.js';

/**
 * Nothing reads a body below this depth: an edit in an MCP batch is at depth 7. JSON.parse accepts any depth, but
 * structured cloning to another thread needs stack for each level and fails at a few thousand.
 */
const deepest = 64;

/** The body of a request as `value`; an Unread of parseJson if it cannot be parsed. */
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

/** Not for large texts, whose members would be their bytes. */
function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
