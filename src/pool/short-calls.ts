/** Which calls are known to be short before they run: those about small files on a local file system. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { plainNames } from '../core/names/path.js';
import { filenameOf, isAboutAll, pathsOf, type Params } from '../core/operations.js';
import { LocalFiles } from './local-files.js';
import type { PendingCall } from './pending-call.js';
import { textIn } from './queues.js';

/** Limit of a file that is read, and of the parameters: reading that many bytes takes 3 ms at first, then 1. */
const mostBytes = 262_144;
/** Limit of a file that is changed: explaining why a text is not in that many bytes takes 20 ms at first, then 5. */
const mostChanged = 131_072;
/** Bytes that the edits of a call go through, each from the start of the file. */
const mostWork = 1_048_576;
/** Replacing many matches regardless of case takes this many times as long. */
const costOfCases = 16;
/** Comparing a whole new text with the old one, for its diff, takes about this many times as long. */
const costOfDiff = 16;
/** Limit on the files that a call reads or changes: a change takes about 1 ms besides its text. */
const mostFiles = 10;
/** A directory of this size has about a thousand entries. A list pauses every 5 ms (workers/operations/list.ts). */
const mostDirectoryBytes = 40_960;

export class ShortCalls {
  private readonly files: LocalFiles;

  /** @param directory real path of the working directory */
  constructor(private readonly directory: string) {
    this.files = new LocalFiles(directory);
  }

  /** Whether a call holds the main thread for less than 20 ms, unless the disk is slow. */
  isShort({ operation, params }: PendingCall): boolean {
    if (!this.files.isLocal || textIn(params) > mostBytes) return false;
    // What it will change is not known.
    if (operation.writes && operation.paths?.length === 0) return false;
    if (isAboutAll(operation)) return this.bytesOf([], true) !== undefined;
    // By time, a whole tree is held in memory: only a thread may run out of it.
    if ('sort' in params && params.sort === 'modified') return false;
    // What is in parts also leaves long files to the threads.
    if (operation.pauses === true) return pathsOf(operation, params).every((path) => this.isPlain(plainNames(path)));
    if ('changes' in params && !areIds(params.changes)) return this.areShort(params.changes);
    const filename = filenameOf(operation, params);
    const given = filename === undefined ? pathsOf(operation, params).map(plainNames) : [[filename]];
    // A missing path means the working directory.
    const paths = given.length === 0 ? [[]] : given;
    const [most, passes] = operation.writes
      ? [mostChanged, 'edits' in params ? passesOf(params.edits) : 1]
      : [mostBytes, 1];
    if (paths.length > mostFiles) return false;
    const bytes = paths.reduce((sum, names) => sum + (this.bytesOf(names, !operation.writes) ?? Infinity), 0);
    return bytes <= most && passes * bytes <= mostWork;
  }

  /** Whether several changes together hold it for no longer. */
  private areShort(changes: Params['apply_changes']['changes']): boolean {
    if (changes.length > mostFiles) return false;
    let [bytes, work] = [0, 0];
    for (const { path, rename_to = path, edits = [], content } of changes) {
      // Those of a glob may be any files.
      if (path === undefined || rename_to === undefined) return false;
      const size = this.bytesOf(plainNames(path));
      const newSize = rename_to === path ? 0 : this.bytesOf(plainNames(rename_to));
      if (size === undefined || newSize === undefined) return false;
      bytes += size + newSize;
      work += (passesOf(edits) + (content === undefined ? 0 : costOfDiff)) * size;
    }
    return bytes <= mostChanged && work <= mostWork;
  }

  /** Whether no step of a path is a link, whose target is unknown until it is followed. */
  private isPlain(names: readonly string[]): boolean {
    let path = this.directory;
    try {
      return names.every((name) => {
        path = join(path, name);
        const found = lstatSync(path, { throwIfNoEntry: false });
        return found !== undefined && (found.isDirectory() || found.isFile());
      });
    } catch {
      return false;
    }
  }

  /**
   * The size of a file, or of a directory whose names are read; 0 if there is none.
   * @returns undefined if it may hold up the main thread: it is a link, whose target is unknown until it is followed,
   *   or of another kind; or it is missing, and there are many names to search for the intended one
   */
  private bytesOf(names: readonly string[], isRead = false): number | undefined {
    let path = this.directory;
    try {
      let found = lstatSync(path);
      for (const name of names) {
        if (!found.isDirectory()) return undefined;
        path = join(path, name);
        const next = lstatSync(path, { throwIfNoEntry: false });
        if (next === undefined) return found.size <= mostDirectoryBytes ? 0 : undefined;
        found = next;
      }
      if (found.isFile()) return found.size;
      return isRead && found.isDirectory() && found.size <= mostDirectoryBytes ? found.size : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Of an undo. */
function areIds(changes: Params['apply_changes']['changes'] | readonly string[]): changes is readonly string[] {
  return typeof changes[0] === 'string';
}

/** How often edits go through their file. */
function passesOf(edits: readonly object[]): number {
  return edits.reduce((sum: number, edit) => {
    return sum + ('case_insensitive' in edit && edit.case_insensitive === true ? costOfCases : 1);
  }, 0);
}
