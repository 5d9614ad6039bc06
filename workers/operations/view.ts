import { isUtf8 } from 'node:buffer';
import { jsonOf } from '../../src/json/json-of.js';
import type { Params } from '../../src/operations.js';
import { Directory } from '../disk/directory.js';
import { find } from '../disk/find.js';
import { decodedName, namesIn, type RawName } from '../disk/names.js';
import { pathDenied } from '../disk/path-errors.js';
import { isPlaceholder } from '../disk/placeholder.js';
import { assertWhole, readAll } from '../disk/read.js';
import { readStanding } from '../disk/standing.js';
import { errnoOf, isDenied } from '../disk/system-error.js';
import { mostValues } from '../hand-over.js';
import type { Context, ResultOf, SuccessOf } from '../handler.js';
import { assertFits, assertRoomFor } from '../room.js';
import { base64Json } from '../text/base64.js';
import { exactJson } from '../text/exact-json.js';
import { countLines } from '../text/lines/lines.js';
import { assertLineLimit, hashOf } from '../text/text-file.js';

/** Read a file, whatever it contains, or list a directory (contract 11). */
export function view(params: Params['view'], context: Context): SuccessOf<'view'> {
  const { path } = params;
  const { root, setup } = context.workspace;
  const found = find(root, path, 'any');
  try {
    if (found instanceof Directory) return { ok: true, result: { type: 'directory', entries: namesOf(found, path) } };
    const { result } = readStanding(found, (stats) => {
      if (Number(stats.size) <= setup.maxBytes) assertRoomFor(context, Number(stats.size));
      const bytes = readAll({ ...found, stats }, setup.maxBytes);
      assertWhole(bytes.length, Number(stats.size));
      return bytes;
    });
    return contentOf(result, context, params.return_hash === true);
  } finally {
    found.close();
  }
}

/**
 * As JSON if there are many, so that the answer counts with what it takes: 200 clients that did not take one of 10 MB
 * made a server hold 945 MB.
 */
function namesOf(found: Directory, path: string): string[] | Buffer {
  const entries = entriesOf(found, path);
  return entries.length > mostValues ? Buffer.from(jsonOf(entries)) : entries;
}

/** Names in code point order, without hidden ones and those that are not valid text. */
function entriesOf({ anchor }: Directory, path: string): string[] {
  try {
    const isShown = ({ key, link }: RawName): boolean =>
      !key.startsWith('.') && !(link && isPlaceholder(anchor.path(decodedName(key) ?? '')));
    return namesIn(anchor.path('.'), isShown)
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ key }) => decodedName(key))
      .filter((name) => name !== undefined);
  } catch (error) {
    const errno = errnoOf(error);
    if (isDenied(errno)) throw pathDenied(path, errno);
    throw error;
  }
}

/** The whole result in one buffer with memory of its own, so that it can be moved to another thread as it is. */
function contentOf(bytes: Buffer, context: Context, withHash: boolean): SuccessOf<'view'> {
  const { maxLines } = context.workspace.setup;
  const isText = isUtf8(bytes);
  if (isText && maxLines !== undefined) assertLineLimit(countLines(bytes), maxLines);
  const hash = hashOf(bytes);
  const members: ResultOf<'view'> = {
    type: 'file',
    encoding: isText ? 'utf-8' : 'base64',
    size: bytes.length,
    ...(withHash ? { hash } : {}),
  };
  const tail = `",${jsonOf(members).slice(1)}`;
  const { json, content } = isText
    ? exactJson(bytes, tail, (length) => {
        assertFits(context, length);
      })
    : base64Json(bytes, tail);
  return { ok: true, result: { content, ...members }, json, hash };
}
