import { sameIdentity, type FileIdentity } from '../../src/core/file-identity.js';
import type { TextFacts } from '../text/lines/scan.js';

/** Approximate cost of an entry besides its line index: identity, hash, place in the map. */
const entryCost = 512;

/**
 * Facts about large texts, so a window into one needs no full rescan. Keyed by the file's identity, and kept only where
 * that proves the text is unchanged (src/core/file-identity.ts).
 */
export class KnownTexts {
  /** By inode, least recently used first. */
  readonly #entries = new Map<bigint, { identity: FileIdentity; facts: TextFacts }>();
  #bytes = 0;

  /** @param limit in bytes */
  constructor(readonly limit: number) {}

  /** The facts about this version of a file, if still cached; marks them as recently used. */
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

/** Room for a few thousand files, or for a few hundred of 100 MB. */
export const knownTexts = new KnownTexts(4_194_304);
