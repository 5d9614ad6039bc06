import { sameIdentity, type FileIdentity } from '../../src/file-identity.js';
import type { TextFacts } from '../text/lines/scan.js';

/** Cost of an entry beside its line index, roughly: identity, hash, place in the map. */
const entryCost = 512;

/**
 * Facts about large texts, so that a window into one does not need all of it to be scanned again. Keyed by the identity
 * of the file, and kept only where that proves that the text is the same (src/file-identity.ts).
 */
export class KnownTexts {
  /** By inode; the entry that has gone unused for longest comes first. */
  readonly #entries = new Map<bigint, { identity: FileIdentity; facts: TextFacts }>();
  #bytes = 0;

  /** @param limit in bytes */
  constructor(readonly limit: number) {}

  /** The facts about the text of this version of a file, if they are still kept; they are then kept for longer. */
  find(identity: FileIdentity): TextFacts | undefined {
    const entry = this.#entries.get(identity.ino);
    if (entry === undefined || !sameIdentity(entry.identity, identity)) return undefined;
    this.#entries.delete(identity.ino);
    this.#entries.set(identity.ino, entry);
    return entry.facts;
  }

  /** @param identity must not have been doubtful when the text was read */
  keep(identity: FileIdentity, facts: TextFacts): void {
    this.#drop(identity.ino);
    this.#entries.set(identity.ino, { identity, facts });
    this.#bytes += entryCost + facts.index.byteLength;
    for (const ino of this.#entries.keys()) {
      if (this.#bytes <= this.limit) return;
      this.#drop(ino);
    }
  }

  #drop(ino: bigint): void {
    const entry = this.#entries.get(ino);
    if (entry === undefined) return;
    this.#entries.delete(ino);
    this.#bytes -= entryCost + entry.facts.index.byteLength;
  }
}
