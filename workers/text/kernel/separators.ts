import { COUNTS, INPUT } from './memory';

const LF: u8 = 10;
const CR: u8 = 13;

/** As many vectors as can be counted in bytes without overflow. */
const BLOCK: usize = 255 * 16;

/**
 * Add the line separators in a part of the chunk to COUNTS. A `\r\n` counts at its `\r`: as a lone `\r` until the `\n`
 * arrives.
 *
 * @returns how many end in the part; a `\n` after a `\r` does not count
 */
export function count(start: usize, end: usize): u32 {
  const to = INPUT + end;
  let lfs: u32 = 0;
  let crs: u32 = 0;
  let crlfs: u32 = 0;
  let from = INPUT + start;
  while (to - from >= 16) {
    const blockEnd = from + min((to - from) & ~15, BLOCK);
    let lfSums = i64x2.splat(0);
    let anyCr = i64x2.splat(0);
    for (let at = from; at < blockEnd; at += 16) {
      const bytes = v128.load(at);
      lfSums = i8x16.sub(lfSums, i8x16.eq(bytes, i8x16.splat(LF)));
      anyCr = v128.or(anyCr, i8x16.eq(bytes, i8x16.splat(CR)));
    }
    lfs += sumOfBytes(lfSums);
    if (v128.any_true(anyCr)) {
      let crSums = i64x2.splat(0);
      let crlfSums = i64x2.splat(0);
      for (let at = from; at < blockEnd; at += 16) {
        const crBefore = i8x16.eq(v128.load(at - 1), i8x16.splat(CR));
        crSums = i8x16.sub(crSums, i8x16.eq(v128.load(at), i8x16.splat(CR)));
        crlfSums = i8x16.sub(crlfSums, v128.and(crBefore, i8x16.eq(v128.load(at), i8x16.splat(LF))));
      }
      crs += sumOfBytes(crSums);
      crlfs += sumOfBytes(crlfSums);
    } else {
      crlfs += u32(load<u8>(from) == LF && load<u8>(from - 1) == CR);
    }
    from = blockEnd;
  }
  for (; from < to; from++) {
    const byte = load<u8>(from);
    lfs += u32(byte == LF);
    crs += u32(byte == CR);
    crlfs += u32(byte == LF && load<u8>(from - 1) == CR);
  }
  store<u32>(COUNTS, load<u32>(COUNTS) + lfs - crlfs);
  store<u32>(COUNTS + 4, load<u32>(COUNTS + 4) + crlfs);
  store<u32>(COUNTS + 8, load<u32>(COUNTS + 8) + crs - crlfs);
  return lfs + crs - crlfs;
}

function sumOfBytes(bytes: v128): u32 {
  const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes));
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

/** @returns the offset after the `wanted`th separator in the part, counted as in `count`; `end` if there are fewer */
export function skip(start: usize, end: usize, wanted: u32): usize {
  if (wanted == 0) return start;
  const to = INPUT + end;
  let from = INPUT + start;
  for (; to - from >= 16; from += 16) {
    const bytes = v128.load(from);
    const crBefore = i8x16.eq(v128.load(from - 1), i8x16.splat(CR));
    const lf = v128.andnot(i8x16.eq(bytes, i8x16.splat(LF)), crBefore);
    let mask: u32 = i8x16.bitmask(v128.or(lf, i8x16.eq(bytes, i8x16.splat(CR))));
    const found: u32 = popcnt(mask);
    if (found < wanted) {
      wanted -= found;
      continue;
    }
    for (; wanted > 1; wanted--) mask &= mask - 1;
    return from - INPUT + ctz(mask) + 1;
  }
  for (; from < to; from++) {
    const byte = load<u8>(from);
    if (byte == CR || (byte == LF && load<u8>(from - 1) != CR)) wanted--;
    if (wanted == 0) return from - INPUT + 1;
  }
  return end;
}
