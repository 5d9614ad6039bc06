import type { FileIdentity } from '../../src/file-identity.js';

/** A file as it is listed. */
export interface ListedFile {
  /** The bytes of its name, each as one character: the order of the list. */
  readonly key: string;
  readonly name: string;
  /** Its entry in the list as JSON: the bytes of its UTF-8, each as one character. */
  readonly json: string;
  /** The version that the entry tells of; undefined if what it tells could change without a change of that. */
  readonly identity: FileIdentity | undefined;
  /** Whether it may be written, where its mode does not tell and the system had to be asked. */
  readonly askedWritable: boolean | undefined;
}

/** A file that can be recognized. */
export interface KnownFile extends ListedFile {
  readonly identity: FileIdentity;
}

/** What an entry takes beside its texts, measured: itself, and an identity of five BigInts. */
const overhead = 352;

/**
 * The files of the last listing, so that the next one reads only what has changed. It belongs to one worker thread and
 * goes with it. Each listing meets its files in the order of their keys, so one pass finds them all.
 */
export class ListMemory {
  private last: readonly KnownFile[] = [];
  private next: KnownFile[] = [];
  private at = 0;
  private bytes = 0;
  private circumstances = '';

  /** @param limit in bytes, roughly: 125,000 files; those beyond it are read in each listing */
  constructor(private readonly limit = 67_108_864) {}

  /**
   * A listing begins. What one before it has met, whose time was up, is known: so it comes further each time.
   * @param circumstances what entries depend on beside their files; nothing is known under other ones
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

  /** What is known of a file. @param key not less than that of the call before */
  find(key: string): KnownFile | undefined {
    const { last } = this;
    let known = last[this.at];
    while (known !== undefined && known.key < key) known = last[++this.at];
    return known?.key === key ? known : undefined;
  }

  /** Know this file at the next listing, if it can be recognized then. */
  keep(file: ListedFile): void {
    if (!isKnown(file)) return;
    this.bytes += overhead + 3 * file.key.length + file.json.length;
    if (this.bytes <= this.limit) this.next.push(file);
  }

  /** It has ended: files that it did not meet are forgotten. */
  end(): void {
    this.last = this.next;
    this.next = [];
  }
}

function isKnown(file: ListedFile): file is KnownFile {
  return file.identity !== undefined;
}
