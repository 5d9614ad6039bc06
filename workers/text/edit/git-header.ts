/** How git writes which file a diff is about. */

/** Paths below the working directory, with `/` between their parts. */
export interface ChangedName {
  /** Undefined if the file is new. */
  readonly oldPath: string | undefined;
  /** Undefined if the file is deleted. */
  readonly newPath: string | undefined;
  /** As `stat` tells it, of the file before or of the new file. */
  readonly mode: number;
}

/** The type of a file in its mode; and that of a symbolic link. */
const typeBits = 0o170_000;
const linkType = 0o120_000;
/** The only permission that git keeps. */
const mayExecute = 0o100;

/**
 * The lines before the hunks, or instead of them. Without an `index` line, which would name git's own hashes: git applies
 * what it finds at the places that the hunks name.
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
 * As git quotes with `core.quotePath=false`: letters beyond ASCII stay readable, and `git apply` accepts them. Beyond
 * that, a directory whose name ends with a space: git 2.39 writes it without quotes, and then cannot read the header of an
 * empty file in it.
 */
function quoted(name: string): string {
  const escaped = name.replace(/[\x00-\x1f\x7f"\\]/g, (character) => {
    return `\\${escapes[character] ?? character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return escaped === name && !name.includes(' /') ? name : `"${escaped}"`;
}
