/** What records say of changes (spec 18). */
import type { BigIntStats } from 'node:fs';
import type { Content } from '../changes/record/record.js';
import type { FileText } from '../commit/file-text.js';
import { closeRead } from '../disk/close.js';
import { openToRead } from '../disk/paths/open-file.js';
import { fileSource } from '../disk/read.js';
import type { Text } from '../text/scattered-text.js';
import { hashOf } from '../text/text-file.js';
import { putOf } from './put.js';
import type { FileEntry } from './recorded-change.js';

export function contentOf(text: Text): Content {
  return { hash: hashOf(text), size: text.length };
}

/** The same for a file that need not fit into memory. @throws the system error */
export function contentAt(path: string, { size }: Pick<BigIntStats, 'size'>): Content {
  const length = Number(size);
  const fd = openToRead({ path });
  try {
    return contentOf({ length, source: () => fileSource(fd, length, length), release: () => undefined });
  } finally {
    closeRead(fd);
  }
}

/** @param before undefined if the file is new */
export function textEntry(
  path: string,
  kind: FileEntry['kind'],
  before: FileText | undefined,
  after: FileText,
): FileEntry {
  return {
    path,
    kind,
    before: before && { hash: before.hash, size: before.bytes.length },
    after: { hash: after.hash, size: after.content.length },
    put: putOf(before?.bytes ?? Buffer.alloc(0), after.content),
  };
}
