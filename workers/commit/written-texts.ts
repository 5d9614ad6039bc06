import type { BigIntStats } from 'node:fs';
import { sameIdentity } from '../../src/file-identity.js';
import { spareTexts } from '../text/spare-memory.js';
import type { FileText } from './file-text.js';

/** A smaller file is read in less time than it takes to find out whether it must be. */
const leastKept = 65_536;
/** In bytes, of one text: as much as is kept of spare memory for the next one. */
const mostKept = 2_097_152;
/** In bytes, of all texts of a thread. */
const mostInAll = 4_194_304;

/** What a file holds for as long as it has these stats. */
export interface Written {
  readonly stats: BigIntStats;
  readonly text: FileText;
}

/**
 * The texts that a thread has written last. Whoever edits a file usually does so again, and then 1 MB need neither be
 * read, nor validated, nor compared before the commit. Only for file systems that stamp every write
 * (disk/fine-stamps.ts): there a file whose stamps are the ones that its writer has seen after the rename holds what was
 * written, byte for byte.
 */
export class WrittenTexts {
  /** By inode, the one written last at the end. */
  readonly #texts = new Map<bigint, Written>();
  #bytes = 0;

  /** Whether a text is of a size that is worth its memory. */
  static takes({ bytes }: FileText): boolean {
    return bytes.length >= leastKept && bytes.buffer.byteLength <= mostKept;
  }

  /**
   * The text of a file; it is the caller's from here on, since only one group of calls may give its memory away.
   * @param stats of the file as it was opened
   */
  take(stats: BigIntStats): FileText | undefined {
    const found = this.#texts.get(stats.ino);
    if (found === undefined) return undefined;
    if (sameIdentity(found.stats, stats)) {
      this.#remove(stats.ino, found);
      return found.text;
    }
    this.#drop(stats.ino, found);
    return undefined;
  }

  keep(written: Written): void {
    const { ino } = written.stats;
    // A file that was removed meanwhile had the same number: file systems give it to the next one.
    const before = this.#texts.get(ino);
    if (before !== undefined) this.#drop(ino, before);
    this.#texts.set(ino, written);
    this.#bytes += sizeOf(written.text);
    for (const [oldIno, oldest] of this.#texts) {
      if (this.#bytes <= mostInAll) return;
      this.#drop(oldIno, oldest);
    }
  }

  #drop(ino: bigint, written: Written): void {
    this.#remove(ino, written);
    spareTexts.giveTexts([written.text.bytes]);
  }

  #remove(ino: bigint, { text }: Written): void {
    this.#texts.delete(ino);
    this.#bytes -= sizeOf(text);
  }
}

/** A text may be a part of the memory that it keeps. */
function sizeOf({ bytes }: FileText): number {
  return bytes.buffer.byteLength;
}
