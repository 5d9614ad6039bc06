/** JSON texts in pieces, so that a large text is not copied into its envelope. */

/** A piece of one JSON text; a Uint8Array holds JSON bytes. */
export type JsonPart = string | Uint8Array;

/** Parts from this size on are not copied. */
const ownPieceBytes = 16_384;

/** Length of a part in bytes. */
export function partBytes(part: JsonPart): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
}

/** One JSON text as one buffer. @param bytes total length of the parts */
export function joinParts(parts: readonly JsonPart[], bytes: number): Buffer {
  const joined = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      at += joined.write(part, at);
    } else {
      joined.set(part, at);
      at += part.byteLength;
    }
  }
  return joined;
}

/** One JSON text as few buffers: small parts are joined, large ones are not copied. */
export function piecesOf(parts: readonly JsonPart[]): Buffer[] {
  const pieces: Buffer[] = [];
  let small: Buffer[] = [];
  const join = (): void => {
    if (small.length > 0) pieces.push(Buffer.concat(small));
    small = [];
  };
  for (const part of parts) {
    if (typeof part === 'string') {
      small.push(Buffer.from(part));
      continue;
    }
    const bytes = asBuffer(part);
    if (bytes.length < ownPieceBytes) {
      small.push(bytes);
    } else {
      join();
      pieces.push(bytes);
    }
  }
  join();
  return pieces;
}

/** The same bytes as a Buffer, not copied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
