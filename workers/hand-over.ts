import type { Outcome, Success } from '../src/errors.js';
import type { TaskAnswer } from './task.js';

/** Above this, in bytes, handing memory over is cheaper than copying it. */
const transferFrom = 16_384;

/** Bytes of an answer that are ready as JSON: the rest is small. */
export function sizeOf(outcome: Outcome): number {
  if (!outcome.ok) return 0;
  return outcome.json?.byteLength ?? readyMembers(outcome).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** What a task returns to the pool, with the memory of large answers moved and not copied. */
export async function handOver(answer: TaskAnswer): Promise<unknown> {
  const memory = memoryOf(answer);
  if (memory.length === 0) return answer;
  // Loaded when first needed: it costs a thread 16 ms.
  const { default: Piscina } = await import('piscina');
  return Piscina.move({
    get [Piscina.transferableSymbol]() {
      return memory;
    },
    get [Piscina.valueSymbol]() {
      return answer;
    },
  });
}

/** Each memory once, also if a result and its members share it: listed twice it could not be moved. */
function memoryOf(answer: TaskAnswer): ArrayBuffer[] {
  const memory = new Set<ArrayBuffer>();
  for (const { buffer, byteOffset, byteLength } of answer.flatMap(readyBytes)) {
    // What begins its memory and is larger than node's pool of small buffers is nobody else's.
    if (byteLength >= transferFrom && byteOffset === 0 && buffer instanceof ArrayBuffer) memory.add(buffer);
  }
  return [...memory];
}

function readyBytes(outcome: TaskAnswer[number]): Uint8Array[] {
  if (outcome.ok !== true) return [];
  return [...(outcome.json === undefined ? [] : [outcome.json]), ...readyMembers(outcome)];
}

function readyMembers({ result }: Success): Uint8Array[] {
  return Object.values(result).filter((member) => member instanceof Uint8Array);
}
