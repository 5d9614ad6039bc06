import { INPUT, OUTPUT } from './memory';

/**
 * Find two bytes at a distance from each other. Bits of a mask are set in the text before it is compared, so that
 * letters can be found in both cases.
 *
 * Writes to OUTPUT, in 4 bytes each, the offsets in the chunk of all first bytes.
 * @param end of the text in the chunk
 * @returns how many there are
 */
export function pairs(end: usize, first: u32, firstMask: u32, second: u32, secondMask: u32, distance: usize): u32 {
  const to = INPUT + end;
  const firsts = i8x16.splat(u8(first));
  const seconds = i8x16.splat(u8(second));
  const firstMasks = i8x16.splat(u8(firstMask));
  const secondMasks = i8x16.splat(u8(secondMask));
  let at = OUTPUT;
  let from = INPUT;
  for (; from + distance + 16 <= to; from += 16) {
    const isFirst = i8x16.eq(v128.or(v128.load(from), firstMasks), firsts);
    const isSecond = i8x16.eq(v128.or(v128.load(from + distance), secondMasks), seconds);
    for (let mask: u32 = i8x16.bitmask(v128.and(isFirst, isSecond)); mask != 0; mask &= mask - 1) {
      store<u32>(at, u32(from - INPUT) + ctz(mask));
      at += 4;
    }
  }
  for (; from + distance < to; from++) {
    const isFirst = (u32(load<u8>(from)) | firstMask) == first;
    if (isFirst && (u32(load<u8>(from + distance)) | secondMask) == second) {
      store<u32>(at, u32(from - INPUT));
      at += 4;
    }
  }
  return u32(at - OUTPUT) >> 2;
}
