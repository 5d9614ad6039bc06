import type { Outcome, Success } from '../../src/core/errors.js';
import { jsonPieces } from '../../src/core/json/json-of.js';
import { pack, transferFrom, type PackedAnswer } from '../../src/core/thread/packed-answer.js';
import type { TaskAnswer } from '../../src/core/thread/task.js';

/** Operations serialise longer lists to JSON themselves: up to this length, values cross to the other thread faster. */
export const mostValues = 1_024;

/** Bytes of an outcome that are already JSON; the rest is small. */
export function sizeOf(outcome: Outcome): number {
  if (!outcome.ok) return 0;
  if (outcome.json !== undefined) return outcome.json.byteLength;
  const members = readyMembers(outcome).reduce((sum, { byteLength }) => sum + byteLength, 0);
  return members + (outcome.forModel?.kinds?.byteLength ?? 0);
}

/** The value a task returns to the pool: a PackedAnswer whose larger memory is transferred, not copied. */
export async function handOver(answer: TaskAnswer): Promise<unknown> {
  const packed = pack(answer);
  const memory = memoryOf(packed);
  if (memory.length === 0) return packed;
  try {
    // Loaded on first use: it takes a thread 16 ms.
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
    // Modules cannot load, for example without file descriptors. The work is done, so the answer goes as a copy.
    return packed;
  }
}

/** Each memory once, even if a result and its members share it: a duplicate in the transfer list is an error. */
function memoryOf({ outcomes, memory: texts }: PackedAnswer): ArrayBuffer[] {
  const memory = new Set<ArrayBuffer>();
  if (texts !== null && texts.byteLength >= transferFrom) memory.add(texts);
  for (const outcome of outcomes) {
    if (!('ok' in outcome) || outcome.ok !== true) continue;
    for (const { buffer, byteOffset, byteLength } of readyBytes(outcome)) {
      // A view at the start of memory larger than Node's pool for small buffers owns that memory.
      if (byteLength >= transferFrom && byteOffset === 0 && buffer instanceof ArrayBuffer) memory.add(buffer);
    }
  }
  return [...memory];
}

function readyBytes(outcome: Success): Uint8Array[] {
  return [...(outcome.json === undefined ? [] : [outcome.json]), ...readyMembers(outcome)];
}

function readyMembers({ result }: Success): Uint8Array[] {
  return Object.values(result).flatMap(jsonPieces);
}
