/**
 * Chooses the few bytes of a string that the native search looks for. For up to seven it jumps between occurrences of
 * their first byte, at 10 µs per MB and 14 ns for each; for more it takes 60 to 300 µs (Node 20).
 */
/** A part of a needle, and its offset in the needle. */
export interface Probe {
  readonly bytes: Buffer;
  readonly at: number;
}

/** Up to this many bytes are searched for by their first one. */
const probeSize = 7;
/**
 * Length of the prefix given to the native search otherwise: at worst it takes time proportional to this times the
 * text.
 */
const headSize = 64;
/** A shorter text is searched faster than it is sampled. */
const leastSampled = 65_536;
/** Only the beginning of a long needle is examined for rare bytes. */
const mostExamined = 1_024;
/** Number of needle bytes to try: those that are rarest in the text. */
const mostTried = 4;
/**
 * Nanoseconds per first byte found, per probe found, and per byte of the text when searching for the head of the
 * needle.
 */
const cost = { firstByte: 14, probe: 200, byte: 0.12 } as const;

/** The beginning of a needle, for texts without a sample. */
export function headOf(needle: Buffer): Probe {
  return { bytes: needle.length > headSize ? needle.subarray(0, headSize) : needle, at: 0 };
}

/** A sample that shows which bytes are rare in a text; undefined where sampling takes longer than searching. */
export function sampleOf(text: Buffer): Sample | undefined {
  return text.length < leastSampled ? undefined : new Sample(text);
}

/** In bytes: 4 KB of a text in total. */
const sliceSize = 128;

/** Some bytes of a text. Sampling takes 12 µs, choosing a probe 1 to 20. */
class Sample {
  readonly #bytes: Buffer;
  readonly #counts = new Uint32Array(256);

  constructor(text: Buffer) {
    this.#bytes = slicesOf(text, sliceSize);
    const bytes = this.#bytes;
    const counts = this.#counts;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      counts[byte] = (counts[byte] ?? 0) + 1;
    }
  }

  /** The part of `needle` that is fastest to find, judging by the sample. */
  probeOf(needle: Buffer): Probe {
    const head = headOf(needle);
    if (needle.length <= probeSize) return head;
    let best = head;
    let least = cost.byte * this.#bytes.length;
    for (const at of this.#rarestIn(needle)) {
      const firstBytes = cost.firstByte * this.#countOf(needle[at]);
      if (firstBytes >= least) break;
      const bytes = needle.subarray(at, at + probeSize);
      const time = firstBytes + cost.probe * this.#occurrences(bytes);
      if (time >= least) continue;
      best = { bytes, at };
      least = time;
    }
    return best;
  }

  /** Possible starts of probes, rarest first bytes first. */
  #rarestIn(needle: Buffer): readonly number[] {
    const last = Math.min(needle.length, mostExamined) - probeSize;
    const places = new Map<number, number>();
    for (let at = 0; at <= last; at++) places.set(needle[at] ?? 0, at);
    return [...places]
      .sort(([a], [b]) => this.#countOf(a) - this.#countOf(b))
      .slice(0, mostTried)
      .map(([, at]) => at);
  }

  #countOf(byte: number | undefined): number {
    return this.#counts[byte ?? 0] ?? 0;
  }

  #occurrences(bytes: Buffer): number {
    let count = 0;
    for (let at = this.#bytes.indexOf(bytes); at !== -1; at = this.#bytes.indexOf(bytes, at + 1)) count += 1;
    return count;
  }
}

const slices = 32;

/** A sample of a text: slices from all over it, of `size` bytes each, or all of it if it is no longer than those. */
export function slicesOf(text: Buffer, size: number): Buffer {
  if (text.length <= slices * size) return text;
  const stride = Math.floor(text.length / slices);
  return Buffer.concat(
    Array.from({ length: slices }, (_, index) => text.subarray(index * stride, index * stride + size)),
  );
}
