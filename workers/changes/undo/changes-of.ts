/** The changes that lead from what is there to what an undo makes of it. */
import { hashOf } from '../../text/text-file.js';
import { isOptional, movesDirectory, type Change } from '../change.js';
import { lockedBy } from '../judge-and-commit.js';
import type { Judged, Told } from '../judged-change.js';
import { inTheWay, type State, type States } from './state.js';

export interface JudgedOfUndo extends Judged {
  /** False for directories that were made on the way. */
  readonly isTold: boolean;
}

/** What becomes of one path. */
interface Made extends Pick<JudgedOfUndo, 'locked' | 'changes' | 'diff' | 'isTold'> {
  readonly told: Told;
  /** Of a file that is there afterwards. */
  readonly bytes: Buffer | undefined;
}

/**
 * @returns closing the first closes the states
 * @throws OperationError undo_conflict, if the changes cannot be taken back together
 */
export function changesOf(states: States, returnHash: boolean): JudgedOfUndo[] {
  const changed = [...states.now].filter(([path, to]) => to !== states.found.get(path));
  const moved = new Set(changed.map(([path, to]) => moveTo(path, to, states)?.spot.path));
  const made = changed.flatMap(([path, to]) =>
    // What is moved away leaves nothing that would have to be removed.
    to === undefined && moved.has(path) ? [] : (becomes(path, to, states) ?? []),
  );
  if (made.length === 0) states.close();
  return inOrder(made).map(({ told, bytes, ...each }, index) => ({
    ...each,
    path: told.path,
    directories: each.changes.flatMap(({ directories }) => directories),
    bytes: (each.diff.old?.length ?? 0) + (each.diff.new?.length ?? 0),
    tookCrlf: false,
    told: () => (returnHash && bytes !== undefined ? { ...told, hash: hashOf(bytes) } : told),
    close: () => {
      if (index === 0) states.close();
    },
  }));
}

/**
 * Where what comes to a path is moved from. Only to a free name, and only if nothing else comes to the name that it
 * leaves: otherwise one would have to go before the other, and each path gets its text on its own.
 */
function moveTo(path: string, to: State | undefined, { found, now }: States): State['origin'] {
  const { origin } = to ?? {};
  if (origin === undefined || origin.spot.path === path) return undefined;
  if (found.get(path) === undefined && now.get(origin.spot.path) === undefined) return origin;
  if (to?.kind === 'directory') throw inTheWay(path);
  return undefined;
}

/**
 * Directories come last, the innermost first: their modes may forbid changes of what is in them, and what is in a moved
 * one is named by its old path.
 */
function inOrder(made: readonly Made[]): Made[] {
  const moves = made.filter(({ changes }) => changes.some(movesDirectory));
  const others = made.filter((each) => !moves.includes(each));
  return [...others.toSorted((a, b) => rankOf(a) - rankOf(b)), ...innermostFirst(moves)];
}

function rankOf({ told, diff }: Made): number {
  const isDirectory = (diff.mode & 0o170_000) === 0o40_000;
  return isDirectory ? 1 / told.path.split('/').length : 0;
}

/** What leaves a directory that is moved, or goes into it, comes before that. */
function innermostFirst(moves: readonly Made[]): Made[] {
  const isInside = ({ told: { path, new_path = path } }: Made, outer: Made): boolean =>
    [path, new_path].some((each) => each.startsWith(`${outer.told.path}/`));
  const first = moves.find((move) => !moves.some((inner) => isInside(inner, move)));
  return first === undefined ? [...moves] : [first, ...innermostFirst(moves.filter((move) => move !== first))];
}

/** @returns undefined if nothing has to be done after all */
function becomes(path: string, to: State | undefined, states: States): Made | undefined {
  const from = states.found.get(path);
  const spot = states.spotOf(path);
  const origin = moveTo(path, to, states);
  if (to !== undefined && origin !== undefined) return movedTo(path, to, origin, states);
  const change = changeAt(path, to, states);
  const isText = to !== undefined && to.kind !== 'directory';
  // A diff knows no directories.
  const isDirectory = (from ?? to)?.kind === 'directory';
  return (
    change && {
      isTold: !isOptional(change),
      bytes: to?.kind === 'file' ? to.bytes : undefined,
      locked: lockedBy(spot),
      changes: [change],
      diff: {
        oldPath: from || isDirectory ? spot.relative : undefined,
        newPath: to || isDirectory ? spot.relative : undefined,
        mode: (from ?? to)?.mode ?? 0,
        old: from?.bytes,
        new: isText ? to.bytes : undefined,
      },
      told: { path, kind: to === undefined ? 'deleted' : from === undefined ? 'created' : 'edited' },
    }
  );
}

function changeAt(path: string, to: State | undefined, states: States): Change | undefined {
  const from = states.found.get(path);
  const spot = states.spotOf(path);
  const common = { number: undefined, name: path, directories: [spot.parent.anchor.base] };
  if (to === undefined) {
    const ifEmpty = states.made.has(path) || undefined;
    if (from?.kind === 'directory' && !ifEmpty && !states.isEmptied(path)) throw inTheWay(path, 'something else is in');
    return from && { ...common, kind: 'remove', spot, seen: from.origin.seen, version: from.origin.version, ifEmpty };
  }
  const { kind, bytes, mode, like = to.origin?.version } = to;
  if (from !== undefined) {
    const original = from.origin.version;
    if (from.kind !== kind) throw inTheWay(path);
    if (from.bytes.equals(bytes) && (kind === 'link' || from.mode === mode)) return undefined;
    if (original === undefined) throw inTheWay(path);
    return { ...common, kind: 'replace', as: 'edited', original, text: bytes, like };
  }
  if (kind === 'file') return { ...common, kind: 'create', spot, text: bytes, ...(like && { original: like }) };
  const target = kind === 'link' ? bytes.toString() : undefined;
  return { ...common, kind: 'make', spot, target, mode: mode & 0o7777 };
}

function movedTo(
  path: string,
  { kind, bytes, like }: State,
  { spot: from, seen, version }: NonNullable<State['origin']>,
  states: States,
): Made {
  const to = states.spotOf(path);
  const [fromDirectory, toDirectory] = [from.parent.anchor.base, to.parent.anchor.base];
  const isEdited = version !== undefined && !version.bytes.equals(bytes);
  const common = { number: undefined, name: from.path, directories: [fromDirectory, toDirectory], seen };
  const changes: Change[] = isEdited
    ? [
        {
          ...common,
          name: path,
          directories: [toDirectory],
          kind: 'create',
          spot: to,
          text: bytes,
          original: like ?? version,
        },
        { ...common, directories: [fromDirectory], kind: 'remove', spot: from, version, movedTo: to },
      ]
    : [{ ...common, kind: 'move', from, to }];
  return {
    isTold: true,
    bytes: kind === 'file' ? bytes : undefined,
    locked: [from.relative, ...lockedBy(to)],
    changes,
    diff: {
      oldPath: from.relative,
      newPath: to.relative,
      mode: Number(seen.mode),
      ...(isEdited ? { old: version.bytes, new: bytes } : {}),
    },
    told: { path: from.path, kind: 'renamed', new_path: path },
  };
}
