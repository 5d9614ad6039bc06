import { INPUT, MOST_TEXTS, TEXTS } from './memory';
import { noteClose, noteComma, noteOpen, startOutlines } from './outline';

const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;
const COLON: u8 = 0x3a;
const OPEN_ARRAY: u8 = 0x5b;
const BACKSLASH: u8 = 0x5c;
const CLOSE_ARRAY: u8 = 0x5d;
const LETTER_U: u8 = 0x75;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;

/** Bit sets of the characters allowed after a backslash, below 64 and from 64 on: `"/` and `\\bfnrt`. */
const LOW_ESCAPES: u64 = (1 << 0x22) | (1 << 0x2f);
const HIGH_ESCAPES: u64 = (1 << 0x1c) | (1 << 0x22) | (1 << 0x26) | (1 << 0x2e) | (1 << 0x32) | (1 << 0x34);
const LONGEST_ESCAPE: usize = 6;

/** Deepest nesting of a large text. */
const MOST_OBJECTS: i32 = 4;
const MOST_ARRAYS: i32 = 2;

/** Scanner state at the end of a chunk: between values, in a string, after a backslash, in the four digits of \u. */
const OUTSIDE: u32 = 0;
const INSIDE: u32 = 1;
const ESCAPED: u32 = 2;
const DIGITS: u32 = 3;
let mode: u32;
let digitsLeft: u32;

/** Offset of the chunk in the text. */
let base: u32;
let limit: u32;
let leastText: u32;

export let values: u32;
export let longOnes: u32;
export let texts: u32;
let arrays: i32;
let objects: i32;
/** The next value has a key. */
let isMember: bool;
/** Offsets of the last string. */
let stringStart: u32;
let stringEnd: u32;
/** The current string, and whether it has been valid JSON so far. */
let start: u32;
let isString: bool;
/** Length of the current number or word. */
let literal: u32;
/** Offsets of the current keys in the two outermost containers; -1 in an array. */
let firstKey: i32;
let secondKey: i32;
export let crowdedDepth: i32;
export let crowdedFirst: i32;
export let crowdedSecond: i32;

/**
 * Start a new text.
 * @param mostValues limit above which it is crowded
 * @param least a large text has more bytes than this
 */
export function begin(mostValues: u32, least: u32): void {
  mode = OUTSIDE;
  base = 0;
  limit = mostValues;
  leastText = least;
  values = 1;
  longOnes = 0;
  texts = 0;
  arrays = 0;
  objects = 0;
  isMember = false;
  stringStart = 0;
  stringEnd = 0;
  literal = 0;
  firstKey = -1;
  secondKey = -1;
  crowdedDepth = -1;
  startOutlines();
}

/** Whether all brackets and strings are closed. */
export function isComplete(): bool {
  return mode == OUTSIDE && arrays == 0 && objects == 0;
}

/** Measure the next chunk. @returns false at an unmatched closing bracket */
export function scan(length: usize): bool {
  const to = INPUT + length;
  let at = INPUT;
  while (at < to) {
    if (mode != OUTSIDE) {
      at = inString(at, to);
      continue;
    }
    const byte = load<u8>(at);
    if (byte == QUOTE) {
      start = base + u32(at - INPUT);
      isString = true;
      mode = INSIDE;
    } else if (byte == COMMA) {
      endLiteral();
      isMember = false;
      noteComma(u32(arrays + objects));
      countValue();
    } else if (byte == OPEN_ARRAY || byte == OPEN_OBJECT) {
      isMember = false;
      const depth = u32(arrays + objects);
      noteOpen(base + u32(at - INPUT), depth);
      countValue();
      if (depth == 0) firstKey = -1;
      else if (depth == 1) secondKey = -1;
      if (byte == OPEN_ARRAY) arrays++;
      else objects++;
    } else if (byte == CLOSE_ARRAY || byte == CLOSE_OBJECT) {
      endLiteral();
      if (byte == CLOSE_ARRAY ? --arrays < 0 : --objects < 0) return false;
      noteClose(base + u32(at - INPUT), u32(arrays + objects));
    } else if (byte == COLON) {
      isMember = true;
      const depth = arrays + objects;
      longOnes += (stringEnd - stringStart) >> 5;
      if (depth == 1) firstKey = i32(stringStart);
      else if (depth == 2) secondKey = i32(stringStart);
    } else {
      literal += u32(byte > 0x20);
    }
    at++;
  }
  base += u32(length);
  return true;
}

function endLiteral(): void {
  longOnes += literal >> 5;
  literal = 0;
}

function countValue(): void {
  values++;
  if (crowdedDepth >= 0 || values + longOnes <= limit) return;
  crowdedDepth = arrays + objects;
  crowdedFirst = firstKey;
  crowdedSecond = secondKey;
}

/** @returns where to continue: after the string if it ends in this chunk */
function inString(at: usize, to: usize): usize {
  while (at < to && mode != OUTSIDE) {
    if (mode == INSIDE) {
      const byte = load<u8>(at);
      if (byte == QUOTE) endString(base + u32(at - INPUT));
      else if (byte == BACKSLASH) at = to - at < LONGEST_ESCAPE ? beginEscape(at) : behindEscape(at) - 1;
      else if (byte < 0x20) isString = false;
      else at = plainEnd(at, to) - 1;
      at++;
    } else {
      at = goOnWithEscape(at);
    }
  }
  return at;
}

/** @param at offset of a backslash; the whole escape is in the chunk */
function behindEscape(at: usize): usize {
  const letter = load<u8>(at, 1);
  if (letter != LETTER_U) {
    isString = isString && isEscape(letter);
    return at + 2;
  }
  if (isDigit(load<u8>(at, 2)) && isDigit(load<u8>(at, 3)) && isDigit(load<u8>(at, 4)) && isDigit(load<u8>(at, 5)))
    return at + 6;
  isString = false;
  return at + 2;
}

/** The chunk may end before the escape does. */
function beginEscape(at: usize): usize {
  mode = ESCAPED;
  return at;
}

function goOnWithEscape(at: usize): usize {
  const byte = load<u8>(at);
  if (mode == ESCAPED) {
    mode = INSIDE;
    if (byte == LETTER_U) {
      mode = DIGITS;
      digitsLeft = 4;
    } else {
      isString = isString && isEscape(byte);
    }
    return at + 1;
  }
  if (isDigit(byte)) {
    if (--digitsLeft == 0) mode = INSIDE;
    return at + 1;
  }
  // Not a digit: handle it as any other character of the string.
  isString = false;
  mode = INSIDE;
  return at;
}

/** @returns offset of the next quote, backslash or control character */
function plainEnd(at: usize, to: usize): usize {
  for (; at < to; at += 16) {
    const bytes = v128.load(at);
    const control = i8x16.lt_u(bytes, i8x16.splat(0x20));
    const quote = i8x16.eq(bytes, i8x16.splat(QUOTE));
    const backslash = i8x16.eq(bytes, i8x16.splat(BACKSLASH));
    const mask: u32 = i8x16.bitmask(v128.or(v128.or(control, quote), backslash));
    if (mask != 0) return at + ctz(mask);
  }
  return to;
}

function endString(end: u32): void {
  mode = OUTSIDE;
  if (isMember && isString && end - start > leastText && arrays <= MOST_ARRAYS && objects <= MOST_OBJECTS)
    noteText(end);
  isMember = false;
  stringStart = start;
  stringEnd = end;
}

function noteText(end: u32): void {
  if (texts == MOST_TEXTS) return;
  const entry = TEXTS + texts++ * 12;
  store<u32>(entry, stringStart);
  store<u32>(entry, start, 4);
  store<u32>(entry, end + 1, 8);
}

function isEscape(byte: u8): bool {
  return byte < 128 && (((byte < 64 ? LOW_ESCAPES : HIGH_ESCAPES) >>> (byte & 63)) & 1) == 1;
}

function isDigit(byte: u8): bool {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}
