/**
 * XXH3 with 64 bits, seed 0 and the default secret, as specified at https://github.com/Cyan4973/xxHash
 * (doc/xxhash_spec.md). Uses the specification's names where it has them.
 */
import { INPUT, MARGIN, SUMS } from './memory';

const PRIME32_1: u64 = 0x9e37_79b1;
const PRIME32_2: u64 = 0x85eb_ca77;
const PRIME32_3: u64 = 0xc2b2_ae3d;
const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;
const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME64_5: u64 = 0x27d4_eb2f_1656_67c5;
const PRIME_MX1: u64 = 0x1656_6791_9e37_79f9;
const PRIME_MX2: u64 = 0x9fb2_1c65_1e98_df25;

/** Little-endian; 192 bytes. */
const SECRET = memory.data<u64>([
  0xbe4b_a423_396c_feb8, 0x1cad_21f7_2c81_017c, 0xdb97_9083_e96d_d4de, 0x1f67_b3b7_a4a4_4072, 0x78e5_c0cc_4ee6_79cb,
  0x2172_ffcc_7dd0_5a82, 0x8e24_43f7_7446_08b8, 0x4c26_3a81_e690_35e0, 0xcb00_c391_bb52_283c, 0xa32e_531b_8b65_d088,
  0x4ef9_0da2_9748_6471, 0xd8ac_dea9_46ef_1938, 0x3f34_9ce3_3f76_faa8, 0x1d4f_0bc7_c7bb_dcf9, 0x3159_b4cd_4be0_518a,
  0x6473_78d9_c97e_9fc8, 0xc3eb_d334_83ac_c5ea, 0xeb63_13fa_ffa0_81c5, 0x49da_f0b7_51dd_0d17, 0x9e68_d429_2655_16d3,
  0xfca1_477d_58be_162b, 0xce31_d07a_d1b8_f88f, 0x2804_1695_8f3a_cb45, 0x7e40_4bbb_cafb_d7af,
]);
const STRIPE: usize = 64;
const STRIPES_IN_BLOCK: usize = 16;

/** Stripes of the current block that have been added. */
let done: usize = 0;
let length: u64 = 0;

/** Reset for a new text. */
export function startHash(): void {
  done = 0;
  length = 0;
  store<u64>(SUMS, PRIME32_3);
  store<u64>(SUMS, PRIME64_1, 8);
  store<u64>(SUMS, PRIME64_2, 16);
  store<u64>(SUMS, PRIME64_3, 24);
  store<u64>(SUMS, PRIME64_4, 32);
  store<u64>(SUMS, PRIME32_2, 40);
  store<u64>(SUMS, PRIME64_5, 48);
  store<u64>(SUMS, PRIME32_1, 56);
}

/**
 * Add the chunk to the hash. Its last stripe stays in the margin until more data arrives, since the last stripe of the
 * whole text is treated differently. So all chunks but the last must be full.
 */
export function addToHash(size: usize): void {
  if (size == 0) return;
  const held: usize = length == 0 ? 0 : MARGIN;
  length += size;
  accumulate(INPUT - held, (held + size - 1) / STRIPE);
}

/** @param size of the last chunk, which has been added already */
export function finishHash(size: usize): u64 {
  const total = usize(length);
  if (total > 240) return hashOfMany(INPUT + size);
  if (total > 128) return hashTo240(total);
  if (total > 16) return hashTo128(total);
  return hashTo16(total);
}

function accumulate(from: usize, stripes: usize): void {
  let a = v128.load(SUMS);
  let b = v128.load(SUMS, 16);
  let c = v128.load(SUMS, 32);
  let d = v128.load(SUMS, 48);
  while (stripes > 0) {
    const now = min(stripes, STRIPES_IN_BLOCK - done);
    let secret = SECRET + done * 8;
    for (const to = from + now * STRIPE; from < to; from += STRIPE) {
      const dataA = v128.load(from);
      const dataB = v128.load(from, 16);
      const dataC = v128.load(from, 32);
      const dataD = v128.load(from, 48);
      const keyA = v128.xor(dataA, v128.load(secret));
      const keyB = v128.xor(dataB, v128.load(secret, 16));
      const keyC = v128.xor(dataC, v128.load(secret, 32));
      const keyD = v128.xor(dataD, v128.load(secret, 48));
      // The low halves of four keys in one vector, their high halves in another: two multiplications for two shuffles.
      const lowAB = v128.shuffle<i32>(keyA, keyB, 0, 2, 4, 6);
      const highAB = v128.shuffle<i32>(keyA, keyB, 1, 3, 5, 7);
      const lowCD = v128.shuffle<i32>(keyC, keyD, 0, 2, 4, 6);
      const highCD = v128.shuffle<i32>(keyC, keyD, 1, 3, 5, 7);
      a = i64x2.add(i64x2.add(a, swapped(dataA)), i64x2.extmul_low_i32x4_u(lowAB, highAB));
      b = i64x2.add(i64x2.add(b, swapped(dataB)), i64x2.extmul_high_i32x4_u(lowAB, highAB));
      c = i64x2.add(i64x2.add(c, swapped(dataC)), i64x2.extmul_low_i32x4_u(lowCD, highCD));
      d = i64x2.add(i64x2.add(d, swapped(dataD)), i64x2.extmul_high_i32x4_u(lowCD, highCD));
      secret += 8;
    }
    stripes -= now;
    done += now;
    if (done < STRIPES_IN_BLOCK) break;
    done = 0;
    a = scrambled(a, SECRET + 128);
    b = scrambled(b, SECRET + 144);
    c = scrambled(c, SECRET + 160);
    d = scrambled(d, SECRET + 176);
  }
  v128.store(SUMS, a);
  v128.store(SUMS, b, 16);
  v128.store(SUMS, c, 32);
  v128.store(SUMS, d, 48);
}

function swapped(sums: v128): v128 {
  return v128.shuffle<i64>(sums, sums, 1, 0);
}

function scrambled(sums: v128, secret: usize): v128 {
  const mixed = v128.xor(v128.xor(sums, i64x2.shr_u(sums, 47)), v128.load(secret));
  return i64x2.mul(mixed, i64x2.splat(PRIME32_1));
}

/** @param end of the text, at the end of the last chunk */
function hashOfMany(end: usize): u64 {
  for (let lane: usize = 0; lane < 8; lane++) {
    const data = load<u64>(end - STRIPE + lane * 8);
    const key = data ^ load<u64>(SECRET + 121 + lane * 8);
    addTo(lane ^ 1, data);
    addTo(lane, (key & 0xffff_ffff) * (key >>> 32));
  }
  let result = length * PRIME64_1;
  for (let lane: usize = 0; lane < 8; lane += 2) {
    const secret = SECRET + 11 + lane * 8;
    result += fold(
      load<u64>(SUMS + lane * 8) ^ load<u64>(secret),
      load<u64>(SUMS + lane * 8, 8) ^ load<u64>(secret, 8),
    );
  }
  return avalanche(result);
}

function addTo(lane: usize, value: u64): void {
  store<u64>(SUMS + lane * 8, load<u64>(SUMS + lane * 8) + value);
}

function hashTo240(size: usize): u64 {
  let result = size * PRIME64_1;
  for (let at: usize = 0; at < 128; at += 16) result += mix16(at, at);
  result = avalanche(result);
  for (let at: usize = 128; at + 16 <= size; at += 16) result += mix16(at, at - 128 + 3);
  return avalanche(result + mix16(size - 16, 136 - 17));
}

function hashTo128(size: usize): u64 {
  let result = size * PRIME64_1;
  // From both ends towards the middle.
  for (let at: usize = 0; at * 2 < size; at += 16) {
    result += mix16(at, at * 2) + mix16(size - 16 - at, at * 2 + 16);
  }
  return avalanche(result);
}

function hashTo16(size: usize): u64 {
  if (size > 8) {
    const low = load<u64>(INPUT) ^ load<u64>(SECRET + 24) ^ load<u64>(SECRET + 32);
    const high = load<u64>(INPUT + size - 8) ^ load<u64>(SECRET + 40) ^ load<u64>(SECRET + 48);
    return avalanche(size + bswap(low) + high + fold(low, high));
  }
  if (size >= 4) {
    const both = u64(load<u32>(INPUT + size - 4)) | (u64(load<u32>(INPUT)) << 32);
    return mixBySize(both ^ load<u64>(SECRET + 8) ^ load<u64>(SECRET + 16), size);
  }
  if (size > 0) {
    const first = u64(load<u8>(INPUT)) << 16;
    const middle = u64(load<u8>(INPUT + (size >> 1))) << 24;
    const all = first | middle | load<u8>(INPUT + size - 1) | (size << 8);
    return avalanche64(all ^ load<u32>(SECRET) ^ load<u32>(SECRET + 4));
  }
  return avalanche64(load<u64>(SECRET + 56) ^ load<u64>(SECRET + 64));
}

function mix16(at: usize, secret: usize): u64 {
  return fold(
    load<u64>(INPUT + at) ^ load<u64>(SECRET + secret),
    load<u64>(INPUT + at, 8) ^ load<u64>(SECRET + secret, 8),
  );
}

/** The two halves of a 128-bit product, xored; WebAssembly has only 64-bit multiplication. */
function fold(a: u64, b: u64): u64 {
  const lows = (a & 0xffff_ffff) * (b & 0xffff_ffff);
  const high1 = (a >>> 32) * (b & 0xffff_ffff);
  const high2 = (a & 0xffff_ffff) * (b >>> 32);
  const cross = (lows >>> 32) + (high1 & 0xffff_ffff) + high2;
  const upper = (high1 >>> 32) + (cross >>> 32) + (a >>> 32) * (b >>> 32);
  return upper ^ ((cross << 32) | (lows & 0xffff_ffff));
}

function avalanche(hash: u64): u64 {
  hash = (hash ^ (hash >>> 37)) * PRIME_MX1;
  return hash ^ (hash >>> 32);
}

/** The final mix of XXH64. */
function avalanche64(hash: u64): u64 {
  hash = (hash ^ (hash >>> 33)) * PRIME64_2;
  hash = (hash ^ (hash >>> 29)) * PRIME64_3;
  return hash ^ (hash >>> 32);
}

function mixBySize(hash: u64, size: u64): u64 {
  hash = (hash ^ rotl(hash, 49) ^ rotl(hash, 24)) * PRIME_MX2;
  hash = (hash ^ ((hash >>> 35) + size)) * PRIME_MX2;
  return hash ^ (hash >>> 28);
}
