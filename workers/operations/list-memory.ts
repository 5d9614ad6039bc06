import type { FileIdentity } from '../../src/core/file-identity.js';

/** A file as listed. */
export interface ListedFile {
  /** The bytes of its name, one character each: the sort key of the list. */
  readonly key: string;
  readonly name: string;
  /** Its entry in the list: JSON as UTF-8 bytes, one character each. */
  readonly json: string;
  /** The version that the entry describes; undefined if the entry could go stale without a change of identity. */
  readonly identity: FileIdentity | undefined;
  /** Whether it is writable, where the mode does not decide and the system had to be asked. */
  readonly askedWritable: boolean | undefined;
}

/** A file that can be recognized at the next listing. */
export interface KnownFile extends ListedFile {
  readonly identity: FileIdentity;
}

/** Measured cost of an entry besides its texts: the object, and an identity of five BigInts. */
const overhead = 352;

/**
 * Caches the files of the last listing, so the next one reads only changed files. Belongs to one worker thread and dies
 * with it. Listings visit files in key order, so one pass over the last listing finds them all.
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
   * Begin a listing. Files visited by an interrupted listing count as known, so each attempt gets further.
   * @param circumstances what entries depend on besides their files; a difference clears the cache
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

  /** The cached entry of a file. @param key not less than in the previous call */
  find(key: string): KnownFile | undefined {
    const { last } = this;
    let known = last[this.at];
    while (known !== undefined && known.key < key) known = last[++this.at];
    return known?.key === key ? known : undefined;
  }

  /** Cache this file for the next listing, if it can be recognized then. */
  keep(file: ListedFile): void {
    if (!isKnown(file)) return;
    this.bytes += overhead + 3 * file.key.length + file.json.length;
    if (this.bytes <= this.limit) this.next.push(file);
  }

  /** End a complete listing: files it did not visit are forgotten. */
  end(): void {
    this.last = this.next;
    this.next = [];
  }
}

function isKnown(file: ListedFile): file is KnownFile {
  return file.identity !== undefined;
}
