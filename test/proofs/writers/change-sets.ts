/** Calls that change several files at once, as a call on each of these files (spec 14). */
import type { Random } from '../../reliability/random.js';
import {
  changedTo,
  hashOfText,
  linesOf,
  missing,
  onLines,
  RefusedAs,
  textOf,
  unchanged,
  type FileCall,
  type Text,
} from './file-calls.js';

/** A change of one file, as a call on it and perhaps on the other file of a rename. */
interface Change {
  readonly params: Readonly<Record<string, unknown>>;
  /** On the file that many agents use; if the call is refused because of this change, this is the one refused. */
  readonly onShared: FileCall['effect'];
  readonly onOwn?: { readonly file: OwnFile; readonly effect: FileCall['effect'] };
}

/** A file of one agent that moves to the place of a shared one, or from it. */
export class OwnFile {
  /** As found on the disk at the end. */
  text: Text = null;

  constructor(readonly name: string) {}
}

export interface ChangeSet {
  readonly params: Readonly<Record<string, unknown>>;
  /** In the order of the changes. */
  readonly parts: readonly Part[];
  /** Files to be created first, with their contents. */
  readonly needs: ReadonlyMap<OwnFile, string>;
}

interface Part {
  readonly shared: string;
  readonly onShared: FileCall;
  readonly onOwn?: { readonly file: OwnFile; readonly call: FileCall };
}

const most = 6;

/**
 * Changes of two to six files.
 * @param seen the content of a file when last read
 * @param newLine returns lines, none a substring of another
 */
export function chooseChanges(
  random: Random,
  files: readonly string[],
  seen: (file: string) => string | undefined,
  newLine: () => string,
): ChangeSet {
  const rest = [...files];
  const count = Math.min(random.between(2, most), rest.length);
  const chosen = Array.from({ length: count }, () => rest.splice(random.between(0, rest.length - 1), 1)).flat();
  const needs = new Map<OwnFile, string>();
  const changes = chosen.map((file) => chooseChange(random, file, seen(file), newLine, needs));
  const params = { changes: changes.map((change) => change.params), return_hash: true };
  const parts = changes.map(({ params: own, onShared, onOwn }, i): Part => {
    const call = (effect: FileCall['effect']): FileCall => ({ operation: 'apply_changes', params: own, effect });
    return {
      shared: chosen[i] ?? '',
      onShared: call(onShared),
      ...(onOwn === undefined ? {} : { onOwn: { file: onOwn.file, call: call(onOwn.effect) } }),
    };
  });
  return { params, parts, needs };
}

/** Mostly one that succeeds: a call with one change that fails changes nothing. */
function chooseChange(
  random: Random,
  path: string,
  seen: string | undefined,
  newLine: () => string,
  needs: Map<OwnFile, string>,
): Change {
  const lines = seen === undefined ? [] : linesOf(seen);
  const dice = random.between(1, 100);
  if (seen === undefined && dice <= 70) return putWhole(path, newLine(), undefined);
  if (dice <= 72) return addLine(path, newLine());
  if (dice <= 78) return replaceLine(path, lines.length > 0 ? random.pick(lines) : 'never there', newLine());
  if (dice <= 90) return putWhole(path, newLine(), '*');
  if (dice <= 92) return putWhole(path, newLine(), seen === undefined ? undefined : { text: seen });
  if (dice <= 93) return putWhole(path, newLine(), undefined);
  if (dice <= 95) return removeFile(path, random.between(0, 1) === 0 ? seen : undefined);
  const name = `${newLine().slice(1, -1)}.own.txt`;
  if (dice <= 98) return moveAway(path, new OwnFile(name));
  const own = new OwnFile(name);
  const content = textOf([newLine()]);
  needs.set(own, content);
  return moveHere(own, path, content);
}

function addLine(path: string, line: string): Change {
  return {
    params: { path, edits: [{ at: 'end', new_string: `${line}\n` }] },
    onShared: onLines(
      (lines) => ({ text: textOf([...lines, line]), says: { kind: 'edited', total_replacements: 1 } }),
      notFound,
    ),
  };
}

function replaceLine(path: string, from: string, to: string): Change {
  return {
    params: { path, edits: [{ old_string: from, new_string: to }] },
    onShared: onLines((lines, text) => {
      const index = lines.indexOf(from);
      if (index < 0) return unchanged(text, new RefusedAs(400, { reason: 'string_not_found' }));
      return { text: textOf(lines.with(index, to)), says: { kind: 'edited', total_replacements: 1 } };
    }, notFound),
  };
}

/** @param expected what the file must hold: anything, a text, or nothing at all */
function putWhole(path: string, line: string, expected: '*' | { readonly text: string } | undefined): Change {
  const content = textOf([line]);
  const hash = expected === undefined || expected === '*' ? expected : hashOfText(expected.text);
  return {
    params: { path, content, ...(hash === undefined ? {} : { expected_hash: hash }) },
    onShared(text) {
      if (expected === undefined && text !== null) {
        return unchanged(text, new RefusedAs(409, { reason: 'file_exists', current_hash: hashOfText(text) }));
      }
      const differs = expected === '*' ? text === null : expected !== undefined && text !== expected.text;
      if (differs) return unchanged(text, changedTo(text));
      return { text: content, says: { kind: text === null ? 'created' : 'replaced' } };
    },
  };
}

function removeFile(path: string, expected: string | undefined): Change {
  return {
    params: { path, delete: true, ...(expected === undefined ? {} : { expected_hash: hashOfText(expected) }) },
    onShared(text) {
      if (expected !== undefined && text !== expected) return unchanged(text, changedTo(text));
      return text === null ? notFound : { text: null, says: { kind: 'deleted' } };
    },
  };
}

function moveAway(path: string, own: OwnFile): Change {
  return {
    params: { path, rename_to: own.name },
    onShared: (text) => (text === null ? notFound : { text: null, says: renamed(text) }),
    // The text is that of another file, so it is compared by the hash that was told of it.
    onOwn: { file: own, effect: () => ({ text: own.text ?? '(not there)', says: renamed(own.text ?? '') }) },
  };
}

function moveHere(own: OwnFile, path: string, content: string): Change {
  return {
    params: { path: own.name, rename_to: path },
    onShared: (text) =>
      text === null
        ? { text: content, says: renamed(content) }
        : unchanged(text, new RefusedAs(409, { reason: 'file_exists' })),
    onOwn: { file: own, effect: () => ({ text: null, says: renamed(content) }) },
  };
}

const renamed = (text: string): { readonly kind: string; readonly hash: string } => ({
  kind: 'renamed',
  hash: hashOfText(text),
});
const notFound = missing({ reason: 'file_not_found' });
