/** Takes back one recorded change, in states that only exist in memory (spec 18). */
import { OperationError } from '../../../src/core/errors.js';
import { Overlap, withoutChange } from '../../history/merge.js';
import { bytesAfter, bytesBefore, isContent, laterOf } from '../../history/rebuild.js';
import { namesIn, visibleIn, type HistoryReader } from '../../history/reader.js';
import type { Root } from '../../disk/paths/root.js';
import type { FileEntry, RecordedChange } from '../../history/recorded-change.js';
import type { State, States } from './state.js';

const gone = 'cannot be put back: what was kept of it is gone or altered';

export class TakeBack {
  /** @param undone ids of all changes that the call takes back */
  constructor(
    private readonly reader: HistoryReader,
    private readonly states: States,
    private readonly root: Root,
    private readonly undone: ReadonlySet<string>,
  ) {}

  /** @throws OperationError undo_conflict, and what looking at a path throws */
  change(change: RecordedChange): void {
    // The record of an undo names what is in a moved directory by where it was.
    const moved = change.files.filter(({ directory, new_path }) => directory === true && new_path !== undefined);
    const others = change.files.filter((each) => !moved.includes(each));
    for (const entry of [...moved.toReversed(), ...others]) this.#entry(change, entry);
    for (const entry of change.files) this.#removeMade(entry);
  }

  #entry(change: RecordedChange, entry: FileEntry): void {
    const { path } = entry;
    switch (entry.kind) {
      case 'edited':
      case 'replaced':
        this.states.set(path, this.#withoutText(change, entry, path));
        return;
      case 'created':
        this.#removeCreated(change, entry);
        return;
      case 'deleted':
        this.#assertFree(change, path);
        this.states.set(path, this.#putBack(change, entry));
        return;
      case 'renamed':
        this.#moveBack(change, entry);
    }
  }

  #withoutText(change: RecordedChange, entry: FileEntry, path: string): State {
    const there = this.states.at(path);
    if (there?.kind !== 'file') throw this.#conflict(change, path, 'is no longer there as a file');
    const { after, kept } = entry;
    const before = this.#before(change, entry, path);
    if (after !== undefined && isContent(there.bytes, after)) {
      // Of changes that were made together, only the first has kept the file, and none has changed its mode.
      return { ...there, ...(kept !== undefined && this.#kept(change, kept, before, path)), bytes: before };
    }
    const left = bytesAfter(this.reader, change, entry);
    if (left === undefined) {
      throw this.#conflict(change, path, 'was changed since, and what this change had left cannot be rebuilt');
    }
    const merged = withoutChange(left, before, there.bytes);
    if (merged === undefined) throw this.#conflict(change, path, 'was changed since, and is no text');
    if (!(merged instanceof Overlap)) return { ...there, bytes: merged };
    const { line } = merged;
    const by = this.#overlapping(change, path, (bytes) => withoutChange(left, before, bytes) instanceof Overlap);
    const why = `was changed since, in lines of this change or next to them (line ${String(line)})`;
    throw this.#conflict(change, path, why, { line, by });
  }

  /**
   * The first later change that touched the lines.
   * @param overlaps whether they can no longer be told apart in a text
   * @returns undefined if another program did
   */
  #overlapping(change: RecordedChange, path: string, overlaps: (bytes: Buffer) => boolean): RecordedChange | undefined {
    let isTouched = false;
    for (const later of laterOf(this.reader, change, path)) {
      const [found, left] = [foundAt(later, path), leftAt(later, path)];
      const before = found && bytesBefore(this.reader, later, found);
      const after = left && bytesAfter(this.reader, later, left);
      const wasTouched: boolean = before === undefined ? isTouched : overlaps(before);
      if (wasTouched && !isTouched) return undefined;
      isTouched = after === undefined ? wasTouched : overlaps(after);
      if (isTouched && !wasTouched && !this.undone.has(later.id)) return later;
    }
    return undefined;
  }

  #removeCreated(change: RecordedChange, entry: FileEntry): void {
    const { path, after, link } = entry;
    const there = this.states.at(path);
    if (there === undefined) throw this.#conflict(change, path, 'is no longer there');
    const { kind, bytes } = there;
    const isAsMade =
      kind === kindOf(entry) &&
      (after === undefined || isContent(bytes, after)) &&
      (link === undefined || bytes.toString() === link);
    if (!isAsMade) throw this.#conflict(change, path, 'was changed since');
    this.states.set(path, undefined);
  }

  #putBack(change: RecordedChange, entry: FileEntry): State {
    const { path, link, mode = 0o777, kept } = entry;
    const kind = kindOf(entry);
    if (link !== undefined) return { kind, bytes: Buffer.from(link), mode: 0o120_000 };
    if (kind === 'directory') return { kind, bytes: Buffer.alloc(0), mode: 0o40_000 + mode };
    const before = this.#before(change, entry, path);
    return this.#kept(change, kept, before, path);
  }

  #moveBack(change: RecordedChange, entry: FileEntry): void {
    const { path, new_path: from = path, before, after } = entry;
    const there = this.states.at(from);
    if (there?.kind !== kindOf(entry)) throw this.#conflict(change, from, 'is no longer there');
    this.#assertFree(change, path);
    const isEdited = before?.hash !== after?.hash;
    const state = isEdited ? this.#withoutText(change, entry, from) : there;
    this.states.set(from, undefined);
    this.states.set(path, state);
  }

  #removeMade({ path, new_path = path, made = 0 }: FileEntry): void {
    const names = new_path.split('/');
    for (let depth = 1; depth <= made; depth++) {
      if (!this.states.removeMade(names.slice(0, -depth).join('/'))) return;
    }
  }

  #assertFree(change: RecordedChange, path: string): void {
    if (this.states.at(path) !== undefined) throw this.#conflict(change, path, 'is there again');
  }

  #before(change: RecordedChange, entry: FileEntry, path: string): Buffer {
    const bytes = bytesBefore(this.reader, change, entry);
    if (bytes === undefined) throw this.#conflict(change, path, gone, {});
    return bytes;
  }

  #kept(change: RecordedChange, name: string | undefined, bytes: Buffer, path: string): State {
    const state = name === undefined ? undefined : this.states.kept(this.reader, name, bytes);
    if (state === undefined) throw this.#conflict(change, path, gone, {});
    return state;
  }

  /** @param at what is in the way: absent, the last change of the path; empty, nothing */
  #conflict(
    { id }: RecordedChange,
    path: string,
    why: string,
    at?: { readonly line?: number; readonly by?: RecordedChange | undefined },
  ): OperationError {
    const { line, by } = at ?? { by: this.#lastChange(id, path) };
    // The error must not reveal a change that the caller may not see.
    const isHidden = by !== undefined && visibleIn(by, this.root) === undefined;
    const told = isHidden ? 'another caller' : by && `${by.id} (${by.caller ?? '-'}, ${by.operation})`;
    const whose = told ?? 'another program';
    const isInTheWay = at === undefined || line !== undefined;
    return new OperationError('undo_conflict', `Cannot undo ${id}: '${path}' ${why}`, {
      details: `Nothing was changed. ${isInTheWay ? `In the way is the change of ${whose}. ` : ''}Look at the file and at its history, then edit it, or undo the later changes too.`,
      data: {
        path,
        ...(line === undefined ? {} : { line }),
        ...(by === undefined || isHidden
          ? {}
          : { changed_by: { id: by.id, ...(by.caller === undefined ? {} : { caller: by.caller }) } }),
      },
    });
  }

  #lastChange(id: string, path: string): RecordedChange | undefined {
    const later = [...this.reader.after(id)].filter(({ files }) => files.some((each) => concerns(each, path)));
    const last = later.findLast((each) => !this.undone.has(each.id));
    const left = last && leftAt(last, path)?.after;
    const there = this.states.at(path);
    // Another program has changed it after that.
    const isOther = there?.kind === 'file' && left !== undefined && !isContent(there.bytes, left);
    return isOther ? undefined : last;
  }
}

function kindOf({ link, directory }: FileEntry): State['kind'] {
  return link !== undefined ? 'link' : directory === true ? 'directory' : 'file';
}

function foundAt({ files }: RecordedChange, path: string): FileEntry | undefined {
  return files.find((each) => each.path === path);
}

/** Whether an entry tells of what is at a path, of a directory above it, or of what is in it. */
function concerns(entry: FileEntry, path: string): boolean {
  return namesIn(entry).some(
    (name) => name === path || name.startsWith(`${path}/`) || (entry.directory === true && path.startsWith(`${name}/`)),
  );
}

/** What a change has left at a path. */
function leftAt({ files }: RecordedChange, path: string): FileEntry | undefined {
  return files.find((each) => (each.new_path ?? each.path) === path);
}
