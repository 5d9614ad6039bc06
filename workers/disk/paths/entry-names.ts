/** Searches a directory for names that were probably meant by a missing one (spec 15). */
import { identityOf, isDoubtful, sameIdentity, type FileIdentity } from '../../../src/core/file-identity.js';
import { mostMeant, mostNames, NamesMeant } from '../../../src/core/names/names-meant.js';
import { lstat, readSomeTypes } from '../calls.js';
import { decodedName } from './names.js';
import { orUndefined } from '../system-error.js';

/** Ways in which one name resembles another. */
export type Likeness = 'lookTheSame' | 'areAlike' | 'areNear';

/** Whether a call can use the target of the name. @throws the system error */
type IsUsable = (name: string) => boolean;

/** Most candidates to check: each may turn out to lead nowhere. */
const mostLooks = 50;

/**
 * Names that are alike, or else near, at most three.
 * @param path of a directory, which is not a link
 */
export function namesMeant(path: string, asked: string, isUsable: IsUsable): string[] {
  const alike = namesThat('areAlike', path, asked, isUsable);
  return alike.length > 0 ? alike : namesThat('areNear', path, asked, isUsable);
}

/** As namesMeant, for one likeness. */
export function namesThat(likeness: Likeness, path: string, asked: string, isUsable: IsUsable): string[] {
  const names: string[] = [];
  // The name is certainly missing: a system error while searching for others must not hide that.
  const candidates = orUndefined(() => entryNames(path)[likeness](asked)) ?? [];
  for (const { name } of candidates.slice(0, mostLooks)) {
    if (names.length === mostMeant) break;
    if (orUndefined(() => isUsable(name)) === true) names.push(name);
  }
  return names;
}

interface Entry {
  readonly name: string;
  readonly regular: boolean;
}

/**
 * The names of the last searched directory. Misses come in series, since an agent tries one name after another: with
 * 10,000 names, a search takes 0.3 to 3 ms instead of 60 (on a busy machine).
 */
let last: { readonly identity: FileIdentity; readonly names: NamesMeant<Entry> } | undefined;

/** The names in a directory; none if it has too many. @throws the system error */
function entryNames(path: string): NamesMeant<Entry> {
  const now = Date.now();
  const stats = lstat(path);
  if (stats !== undefined && last !== undefined && sameIdentity(last.identity, stats)) return last.names;
  const names = new NamesMeant(readEntries(path));
  if (stats !== undefined && !isDoubtful(stats, now)) last = { identity: identityOf(stats), names };
  return names;
}

/** Files first, then by code point. */
function readEntries(path: string): Entry[] {
  const read = readSomeTypes(path, mostNames + 1);
  if (read.length > mostNames) return [];
  // While entries are being replaced, as every edit does, some file systems list one twice.
  const entries = new Map<string, boolean>();
  for (const entry of read) {
    const regular = entry.isFile();
    if (regular || entry.isDirectory() || entry.isSymbolicLink()) entries.set(entry.name, regular);
  }
  // Names as one character per byte sort by code point.
  const sorted = [...entries].sort(([a, first], [b, second]) => Number(second) - Number(first) || (a < b ? -1 : 1));
  return sorted.flatMap(([key, regular]) => {
    const name = decodedName(key);
    return name === undefined ? [] : [{ name, regular }];
  });
}
