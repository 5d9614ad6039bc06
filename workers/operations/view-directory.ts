import { entryKinds, OperationError } from '../../src/core/errors.js';
import { jsonOf } from '../../src/core/json/json-of.js';
import { isReservedName } from '../../src/core/names/reserved-name.js';
import type { Directory } from '../disk/paths/anchor.js';
import { statsBehind } from '../disk/paths/link.js';
import { decodedName, namesIn, type RawName } from '../disk/paths/names.js';
import { pathDenied } from '../disk/paths/path-errors.js';
import { isPlaceholder } from '../disk/paths/placeholder.js';
import type { Root } from '../disk/paths/root.js';
import { withoutTelling } from '../disk/paths/scope.js';
import { visibleIn } from '../search/visible.js';
import { errnoOf, isDenied, isShortage, isSystemError } from '../disk/system-error.js';
import { mostValues } from '../answers/hand-over.js';
import type { Context, SuccessOf } from '../handler.js';

/** List the names in a directory by code point, except hidden names and those that are not valid text. */
export function* viewDirectory(
  found: Directory,
  path: string,
  context: Context,
): Generator<undefined, SuccessOf<'view'>> {
  const { root } = context.workspace;
  const all = withoutTelling(root, path, () => shownAndHidden(found, path));
  const names = root.scope === undefined ? all : yield* visibleIn(root, found, path, all);
  const shown = names.filter(({ key }) => !isHidden(key)).sort((a, b) => (a.key < b.key ? -1 : 1));
  const entries = shown.map(({ key }) => decodedName(key)).filter((name) => name !== undefined);
  return {
    ok: true,
    result: {
      type: 'directory',
      // Long lists are sent as JSON, whose memory is counted: otherwise 200 clients that did not read a 10 MB answer
      // made the server hold 945 MB.
      entries: entries.length > mostValues ? Buffer.from(jsonOf(entries)) : entries,
    },
    ...(context.model !== undefined
      ? { forModel: { kinds: kindsOf(entries, found, context), hidden: names.length - shown.length } }
      : {}),
  };
}

function isHidden(key: string): boolean {
  return key.startsWith('.');
}

/** All names except the server's own. */
function shownAndHidden({ anchor }: Directory, path: string): RawName[] {
  try {
    return namesIn(
      anchor.path('.'),
      ({ key, link }) =>
        !(isHidden(key) && isReservedName(decodedName(key) ?? '')) &&
        !(link && isPlaceholder(anchor.path(decodedName(key) ?? ''))),
    );
  } catch (error) {
    const errno = errnoOf(error);
    if (isDenied(errno)) throw pathDenied(path, errno);
    throw error;
  }
}

/** The kind of each entry. Each costs an lstat: 3 µs. */
function kindsOf(entries: readonly string[], found: Directory, { workspace, progress }: Context): Float64Array {
  const kinds = new Float64Array(entries.length);
  for (const [index, name] of entries.entries()) {
    // The call's time may be up long before the last entry, and other calls wait for the thread.
    if (progress.cancelled) throw new OperationError('cancelled', 'Cancelled before all entries were examined');
    kinds[index] = kindOf(workspace.root, found, name);
  }
  return kinds;
}

/** A link counts as its target; as `other` if that is outside, missing or inaccessible. */
function kindOf(root: Root, found: Directory, name: string): number {
  try {
    const seen = statsBehind(root, found, name);
    if (seen?.isDirectory() === true) return entryKinds.directory;
    return seen?.isFile() === true ? Number(seen.size) : entryKinds.other;
  } catch (error) {
    if (!isSystemError(error) || isShortage(error.code)) throw error;
    return entryKinds.other;
  }
}
