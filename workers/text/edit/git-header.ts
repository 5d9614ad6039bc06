/** Writes the header that tells git which file a diff changes. */

/** Paths below the working directory, with `/` between their parts. */
export interface ChangedName {
  /** Undefined if the file is new. */
  readonly oldPath: string | undefined;
  /** Undefined if the file is deleted. */
  readonly newPath: string | undefined;
  /** The mode from `stat`, of the old file or else of the new one. */
  readonly mode: number;
}

/** The bits of a mode that hold the file type, and the type of a symbolic link. */
const typeBits = 0o170_000;
const linkType = 0o120_000;
/** The only permission that git keeps. */
const mayExecute = 0o100;

/**
 * The lines before the hunks, or instead of them. There is no `index` line, which would need git's own hashes: git
 * applies the hunks to whatever is at their places.
 */
export function gitHeader({ oldPath, newPath, mode }: ChangedName, hasHunks: boolean): string {
  const { old, new: now } = namesOf({ oldPath, newPath });
  const lines = [`diff --git ${old} ${now}`];
  if (oldPath === undefined) lines.push(`new file mode ${gitMode(mode)}`);
  else if (newPath === undefined) lines.push(`deleted file mode ${gitMode(mode)}`);
  else if (oldPath !== newPath) {
    if (!hasHunks) lines.push('similarity index 100%');
    lines.push(`rename from ${quoted(oldPath)}`, `rename to ${quoted(newPath)}`);
  }
  if (hasHunks) {
    lines.push(`--- ${oldPath === undefined ? nothing : endedName(old)}`);
    lines.push(`+++ ${newPath === undefined ? nothing : endedName(now)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The line for bytes that are not text. `git apply` passes over it if it is not part of a file's header. */
export function binaryLine(name: ChangedName): string {
  const { old, new: now } = namesOf(name);
  return `Binary files ${old} and ${now} differ\n`;
}

const nothing = '/dev/null';

function namesOf({ oldPath, newPath }: Pick<ChangedName, 'oldPath' | 'newPath'>): { old: string; new: string } {
  return { old: quoted(`a/${oldPath ?? newPath ?? ''}`), new: quoted(`b/${newPath ?? oldPath ?? ''}`) };
}

/** A name with a space has a tab after it: other programs take the text after a space for a date. */
function endedName(name: string): string {
  return name.includes(' ') ? `${name}\t` : name;
}

function gitMode(mode: number): string {
  if ((mode & typeBits) === linkType) return '120000';
  return (mode & mayExecute) === 0 ? '100644' : '100755';
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '"': '"',
  '\\': '\\',
};

/**
 * Quotes like git with `core.quotePath=false`: non-ASCII letters stay readable, and `git apply` accepts them. Unlike
 * git 2.39, it also quotes a directory name that ends with a space: git cannot read back its own header of an empty
 * file in one.
 */
function quoted(name: string): string {
  const escaped = name.replace(/[\x00-\x1f\x7f"\\]/g, (character) => {
    return `\\${escapes[character] ?? character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return escaped === name && !name.includes(' /') ? name : `"${escaped}"`;
}
