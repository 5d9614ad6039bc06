import type { Outcome, Success } from '../../src/core/errors.js';
import { pack, transferFrom, type PackedAnswer } from '../../src/core/thread/packed-answer.js';
import type { TaskAnswer } from '../../src/core/thread/task.js';

/**
 * Longer lists in a result are made JSON by their operation: up to this many, values cross to the other thread faster.
 */
export const mostValues = 1_024;

/** Bytes of an answer that are ready as JSON; the rest of it is small. */
export function sizeOf(outcome: Outcome): number {
  if (!outcome.ok) return 0;
  if (outcome.json !== undefined) return outcome.json.byteLength;
  const members = readyMembers(outcome).reduce((sum, { byteLength }) => sum + byteLength, 0);
  return members + (outcome.forModel?.kinds?.byteLength ?? 0);
}

/** What a task returns to the pool: a PackedAnswer whose larger memory is moved, not copied. */
export async function handOver(answer: TaskAnswer): Promise<unknown> {
  const packed = pack(answer);
  const memory = memoryOf(packed);
  if (memory.length === 0) return packed;
  try {
    // Loaded when first needed: it takes a thread 16 ms.
    const { default: Piscina } = await import('piscina');
    return Piscina.move({
      get [Piscina.transferableSymbol]() {
        return memory;
      },
      get [Piscina.valueSymbol]() {
        return packed;
      },
    });
  } catch {
    // Nothing can be loaded, as without descriptors. What the answer tells has been done, so it goes as a copy.
    return packed;
  }
}

/** Each memory once, even if a result and its members share it: listed twice, it could not be moved. */
function memoryOf({ outcomes, memory: texts }: PackedAnswer): ArrayBuffer[] {
  const memory = new Set<ArrayBuffer>();
  if (texts !== null && texts.byteLength >= transferFrom) memory.add(texts);
  for (const outcome of outcomes) {
    if (!('ok' in outcome) || outcome.ok !== true) continue;
    for (const { buffer, byteOffset, byteLength } of readyBytes(outcome)) {
      // A view at the start of memory larger than Node's pool for small buffers shares it with no one.
      if (byteLength >= transferFrom && byteOffset === 0 && buffer instanceof ArrayBuffer) memory.add(buffer);
    }
  }
  return [...memory];
}

function readyBytes(outcome: Success): Uint8Array[] {
  return [...(outcome.json === undefined ? [] : [outcome.json]), ...readyMembers(outcome)];
}

function readyMembers({ result }: Success): Uint8Array[] {
  return Object.values(result).filter((member) => member instanceof Uint8Array);
}
