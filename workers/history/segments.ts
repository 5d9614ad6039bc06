/**
 * The files of the log, read without a lock (spec 18). Each is named for the position of its first byte. One that ends
 * where another begins is complete.
 */
import { closeSync } from 'node:fs';
import { fstat, open, readdir, toRead } from '../disk/calls.js';
import type { Anchor } from '../disk/paths/anchor.js';
import { fileSource } from '../disk/read.js';
import { errnoOf, isNoFile } from '../disk/system-error.js';
import { LF } from '../text/separators.js';
import { idAt } from './change-id.js';

/** Beside the files of the log, for the files that were replaced or removed. */
export const keptName = 'kept';

export interface Segment {
  readonly name: string;
  /** The position of its first byte. */
  readonly start: number;
}

/** A complete line, without its end. */
export interface Line {
  readonly id: string;
  readonly position: number;
  readonly bytes: Buffer;
}

const segmentName = /^(\d{15})\.jsonl$/;

export function segmentAt(start: number): Segment {
  return { name: `${String(start).padStart(15, '0')}.jsonl`, start };
}

/** Oldest first. @throws the system error */
export function segmentsIn(directory: Anchor): Segment[] {
  return readdir(directory.path('.'))
    .flatMap((name) => {
      const [, digits] = segmentName.exec(name) ?? [];
      return digits === undefined ? [] : [{ name, start: Number(digits) }];
    })
    .sort((a, b) => a.start - b.start);
}

/** The lines from a position on, oldest first. @throws the system error */
export function* linesFrom(directory: Anchor, position: number): Generator<Line> {
  const segments = segmentsIn(directory);
  const first = segments.findLastIndex(({ start }) => start <= position);
  for (const segment of segments.slice(Math.max(0, first))) {
    yield* linesIn(bytesOf(directory, segment, position), Math.max(position, segment.start));
  }
}

/** The lines of one file. @throws the system error */
export function linesOf(directory: Anchor, segment: Segment): Generator<Line> {
  return linesIn(bytesOf(directory, segment), segment.start);
}

/** All lines, newest first. @throws the system error */
export function* linesBack(directory: Anchor): Generator<Line> {
  for (const segment of segmentsIn(directory).toReversed()) {
    yield* [...linesOf(directory, segment)].toReversed();
  }
}

/** @param position where the bytes begin */
export function* linesIn(bytes: Buffer, position: number): Generator<Line> {
  for (let start = 0, end = bytes.indexOf(LF); end !== -1; start = end + 1, end = bytes.indexOf(LF, start)) {
    yield { id: idAt(position + start), position: position + start, bytes: bytes.subarray(start, end) };
  }
}

/** What a segment has from a position on; nothing if it has been removed meanwhile. */
export function bytesOf(directory: Anchor, { name, start }: Segment, position = 0): Buffer {
  return readIfThere(directory.path(name), Math.max(0, position - start)) ?? Buffer.alloc(0);
}

/** The bytes of a file of the history. @returns undefined if it is gone @throws the system error */
export function readIfThere(path: string, from = 0): Buffer | undefined {
  let fd: number;
  try {
    fd = open(path, toRead);
  } catch (error) {
    if (isNoFile(errnoOf(error))) return undefined;
    throw error;
  }
  try {
    return bytesFrom(fd, from, Number(fstat(fd).size));
  } finally {
    closeSync(fd);
  }
}

/** Fewer if the file ends before. */
export function bytesFrom(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  return bytes.subarray(0, fileSource(fd, 0, Infinity)(bytes, from));
}
