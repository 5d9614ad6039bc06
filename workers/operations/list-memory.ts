import type { FileIdentity } from '../../src/core/file-identity.js';

/** A file as it is listed. */
export interface ListedFile {
  /** The bytes of its name, one character each: the list is sorted by them. */
  readonly key: string;
  readonly name: string;
  /** Its entry in the list: the bytes of the JSON in UTF-8, one character each. */
  readonly json: string;
  /** The version that the entry describes; undefined if the entry could become wrong while that stays the same. */
  readonly identity: FileIdentity | undefined;
  /** Whether it may be written, where the mode does not tell and the system had to be asked. */
  readonly askedWritable: boolean | undefined;
}

/** A file that can be recognized at the next listing. */
export interface KnownFile extends ListedFile {
  readonly identity: FileIdentity;
}

/** Measured cost of an entry beside its texts: the object, and an identity of five BigInts. */
const overhead = 352;

/**
 * The files of the last listing, so that the next one reads only those that have changed. Belongs to one worker thread
 * and goes with it. Listings visit their files in the order of their keys, so one pass over the last one finds them
 * all.
 */
export class ListMemory {
  private last: readonly KnownFile[] = [];
  private next: KnownFile[] = [];
  private at = 0;
  private bytes = 0;
  private circumstances = '';

  /** @param limit in bytes, roughly: room for 125,000 files; any others are read at every listing */
  constructor(private readonly limit = 67_108_864) {}

  /**
   * A listing begins. Files that an interrupted one has visited count as known, so that each attempt gets further.
   * @param circumstances what entries depend on beside their files; if it differs, nothing is known
   */
  begin(circumstances: string): void {
    const { next, last } = this;
    const met = next.at(-1)?.key;
    if (met !== undefined) this.last = [...next, ...last.filter(({ key }) => key > met)];
    if (circumstances !== this.circumstances) this.last = [];
    this.circumstances = circumstances;
    this.next = [];
    this.at = 0;
    this.bytes = 0;
  }

  /** What is known of a file. @param key not less than in the call before */
  find(key: string): KnownFile | undefined {
    const { last } = this;
    let known = last[this.at];
    while (known !== undefined && known.key < key) known = last[++this.at];
    return known?.key === key ? known : undefined;
  }

  /** Remember this file for the next listing, if it can be recognized then. */
  keep(file: ListedFile): void {
    if (!isKnown(file)) return;
    this.bytes += overhead + 3 * file.key.length + file.json.length;
    if (this.bytes <= this.limit) this.next.push(file);
  }

  /** The listing is complete: files that it did not visit are forgotten. */
  end(): void {
    this.last = this.next;
    this.next = [];
  }
}

function isKnown(file: ListedFile): file is KnownFile {
  return file.identity !== undefined;
}
