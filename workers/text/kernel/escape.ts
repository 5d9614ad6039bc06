import { CHUNK, ESCAPES, INPUT, OUTPUT } from './memory';

const LF: u32 = 10;
const CR: u32 = 13;
const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
/** U+2028 and U+2029 are these three bytes; only the last bit of the third differs. */
const FIRST: u32 = 0xe2;
const SECOND: u32 = 0x80;
const THIRD: u32 = 0xa9;
/** U+2028 in JSON. */
const ESCAPED: u64 = 0x3832_3032_755c;

/** Blocks with more escapes than this are written byte by byte: 0.8 ms for 1 MB at worst. */
const MOST_RUNS: u32 = 14;

/** Called when the module is instantiated. */
export function fillEscapes(): void {
  for (let byte: u32 = 0; byte < 256; byte++) store<u64>(ESCAPES + byte * 8, escapeOf(byte));
}

function escapeOf(byte: u32): u64 {
  if (byte == QUOTE || byte == BACKSLASH) return shortEscape(byte);
  if (byte >= 0x20) return u64(byte) | (u64(1) << 56);
  if (byte == 8) return shortEscape(0x62);
  if (byte == 9) return shortEscape(0x74);
  // Every line separator is delivered as \n.
  if (byte == LF || byte == CR) return shortEscape(0x6e);
  if (byte == 12) return shortEscape(0x66);
  return 0x3030_755c | (u64(0x30 + (byte >> 4)) << 32) | (u64(hexDigit(byte & 15)) << 40) | (u64(6) << 56);
}

function shortEscape(letter: u32): u64 {
  return BACKSLASH | (u64(letter) << 8) | (u64(2) << 56);
}

function hexDigit(value: u32): u32 {
  return value + (value < 10 ? 0x30 : 0x57);
}

/**
 * Write a part of the chunk as the inside of a JSON string, with every line separator as `\n`. A `\n` after a `\r`
 * produces no output, even if the `\r` is not in the part. U+2028 and U+2029 are escaped, since some readers take them
 * for line breaks. A full chunk may end within one of them, which is then written with the next chunk.
 *
 * @returns the length of the output
 */
export function escape(start: usize, end: usize): usize {
  const to = INPUT + end - (end == CHUNK ? begunBefore(INPUT + end) : 0);
  let from = INPUT + start - begunBefore(INPUT + start);
  let at = OUTPUT;
  for (; from + 32 <= to; from += 32) {
    const low = v128.load(from);
    const high = v128.load(from, 16);
    // Stored before inspection: most blocks need nothing more, or nothing up to their first escape.
    v128.store(at, low);
    v128.store(at, high, 16);
    // One comparison finds both the ASCII to be escaped and all non-ASCII bytes.
    let mask: u32 = bitsToLookAt(low) | (bitsToLookAt(high) << 16);
    if (mask != 0) {
      const beyond: u32 = i8x16.bitmask(low) | (i8x16.bitmask(high) << 16);
      if (beyond != 0) {
        if (hasThird(low, high) && hasSeparator(from)) {
          at = escapeAll(from, from + 32, at);
          continue;
        }
        mask &= ~beyond;
      }
    }
    if (mask == 0) at += 32;
    else if (popcnt(mask) <= MOST_RUNS) at = escapeRuns(from, mask, at);
    else at = escapeBytes(from, from + 32, at);
  }
  return escapeAll(from, to, at) - OUTPUT;
}

function bitsToLookAt(bytes: v128): u32 {
  // Swaps the quote and the space, which puts the quote next to the control characters. Non-ASCII bytes are negative.
  const exchanged = v128.xor(bytes, i8x16.splat(2));
  const low = i8x16.lt_s(exchanged, i8x16.splat(0x21));
  return i8x16.bitmask(v128.or(low, i8x16.eq(bytes, i8x16.splat(u8(BACKSLASH)))));
}

function hasThird(low: v128, high: v128): bool {
  return v128.any_true(v128.or(thirds(low), thirds(high)));
}

function thirds(bytes: v128): v128 {
  return i8x16.eq(v128.or(bytes, i8x16.splat(1)), i8x16.splat(u8(THIRD)));
}

/** Whether U+2028 or U+2029 ends in this block. */
function hasSeparator(at: usize): bool {
  return v128.any_true(v128.or(separators(at), separators(at + 16)));
}

function separators(at: usize): v128 {
  const first = i8x16.eq(v128.load(at - 2), i8x16.splat(u8(FIRST)));
  const second = i8x16.eq(v128.load(at - 1), i8x16.splat(u8(SECOND)));
  return v128.and(v128.and(first, second), thirds(v128.load(at)));
}

/** The number of bytes before `at` that may begin one of them. */
function begunBefore(at: usize): usize {
  if (load<u8>(at - 1) == FIRST) return 1;
  return isBehindTwo(at) ? 2 : 0;
}

function isBehindTwo(at: usize): bool {
  return load<u16>(at - 2) == (FIRST | (SECOND << 8));
}

/** After each escape the rest of the block is stored again: cheaper than computing how much of it is needed. */
function escapeRuns(from: usize, mask: u32, at: usize): usize {
  const to = from + 32;
  while (mask != 0) {
    const special = to - 32 + ctz(mask);
    mask &= mask - 1;
    at = writeEscape(special, at + (special - from));
    from = special + 1;
    v128.store(at, v128.load(from));
    v128.store(at, v128.load(from, 16), 16);
  }
  return at + (to - from);
}

function escapeBytes(from: usize, to: usize, at: usize): usize {
  for (; from < to; from++) at = writeEscape(from, at);
  return at;
}

/**
 * Also finds U+2028 and U+2029. Only blocks with them are processed byte by byte: doing so for all took a third longer.
 */
function escapeAll(from: usize, to: usize, at: usize): usize {
  for (; from < to; from++) {
    const byte = u32(load<u8>(from));
    if ((byte | 1) == THIRD && isBehindTwo(from)) {
      // Its first two bytes have been written unescaped.
      store<u64>(at - 2, ESCAPED | (u64(byte & 1) << 40));
      at += 4;
    } else {
      at = writeEscape(from, at);
    }
  }
  return at;
}

/** Branch-free: eight bytes are stored, and the table says how many of them count. */
function writeEscape(from: usize, at: usize): usize {
  const byte = u32(load<u8>(from));
  const written = load<u64>(ESCAPES + byte * 8);
  store<u64>(at, written);
  const secondHalf = u32(byte == LF) & u32(load<u8>(from - 1) == CR);
  return at + (secondHalf != 0 ? 0 : usize(written >>> 56));
}
