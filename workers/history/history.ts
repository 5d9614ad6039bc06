/** The history of a directory as one thread writes it: `.file-editor/history`, for the owner only (spec 18). */
import { OperationError, type Notice } from '../../src/core/errors.js';
import type { WorkerSetup } from '../../src/core/thread/task.js';
import { addCount } from '../../src/core/thread/timings.js';
import { openMade, type Reserved } from '../disk/lock/reserved.js';
import type { Anchor } from '../disk/paths/anchor.js';
import type { Root } from '../disk/paths/root.js';
import { describe, isDenied, isSystemError, noticeOf, type SystemError } from '../disk/system-error.js';
import { writeFailed } from '../disk/write/write-failed.js';
import { historyName, reservedName } from '../../src/core/names/reserved-name.js';
import { syncDirectories, syncsDirectories } from '../disk/write/directory-sync.js';
import { HistoryLog } from './log.js';
import { HistoryReader } from './reader.js';
import { Retention } from './retention.js';
import { keptName } from './segments.js';
import { settle } from './settle.js';
import type { RecordedChange, NewChange } from './recorded-change.js';

interface Opened {
  readonly directory: Anchor;
  readonly kept: Anchor;
  readonly log: HistoryLog;
  readonly retention: Retention | undefined;
  readonly opened: readonly { close(): void }[];
}

/** Milliseconds between a change and a look at what may be forgotten. */
const retentionPauseMs = 2_000;

export class History {
  #opened: Opened | undefined;
  /** A look at what may be forgotten will follow. */
  #isDue = false;
  /** Of the log: if another program removes that, ids go on from here. */
  #end = 0;
  /** What the next append reports. */
  readonly #notices: Notice[] = [];

  constructor(
    private readonly root: Root,
    private readonly reserved: Reserved,
    private readonly setup: Pick<WorkerSetup, 'durability' | 'history'>,
  ) {}

  /**
   * Open it before anything is changed: what keeps it from being written refuses the change then.
   * @throws OperationError write_denied, write_failed if something is in its way; the system error
   */
  open(notices: Notice[]): Opened {
    const reserved = this.reserved.use(notices);
    const known = this.#opened;
    const isThere =
      known?.directory.isAt(reserved.path(historyName)) === true && known.kept.isAt(known.directory.path(keptName));
    if (isThere) return known;
    this.close();
    const opened: { close(): void }[] = [];
    const openDirectory = (path: string): Anchor => {
      const anchor = openMade(path);
      opened.push(anchor);
      return anchor;
    };
    try {
      const directory = openDirectory(reserved.path(historyName));
      const kept = openDirectory(directory.path(keptName));
      const synced = syncsDirectories(this.setup);
      const { history: limits } = this.setup;
      const log = new HistoryLog(directory, this.#end, limits, this.setup.durability !== 'none', synced);
      opened.push(log);
      // Their names must be on disk before what is in them counts.
      if (synced) syncDirectories([directory, reserved, this.root.anchor], notices);
      const retention = limits && new Retention(directory, limits);
      return (this.#opened = { directory, kept, log, retention, opened });
    } catch (error) {
      for (const each of opened) each.close();
      throw isSystemError(error) && isObstacle(error) ? cannotBeWritten(error) : error;
    }
  }

  /**
   * Record changes that have just been made.
   * @throws OperationError not_durable: they are made
   */
  append(records: readonly NewChange[], notices: Notice[]): readonly RecordedChange[] {
    try {
      for (let tries = 1; tries <= 3; tries++) {
        const written = this.open(notices).log.append(records, notices);
        notices.push(...this.#notices.splice(0));
        if (written !== undefined) {
          addCount('changes_recorded', records.length);
          this.#forgetLater();
          return written;
        }
        // Another program has removed the history.
        this.close();
        this.reserved.forget();
      }
      throw new OperationError('write_failed', 'Failed to write the history: another program keeps removing it');
    } catch (error) {
      // What it knows of files is ahead of the log now.
      this.close();
      addCount('records_failed', records.length);
      throw notRecorded(error);
    }
  }

  /** At start: void what was never made, and later remove what no line names. @throws the system error */
  settle(notices: Notice[]): void {
    const reader = HistoryReader.open(this.root, notices);
    if (reader === undefined) return;
    try {
      settle(reader, this.root, notices);
    } finally {
      reader.close();
    }
    if (this.setup.history === undefined) return;
    this.open(notices).log.closeFull(notices);
    this.#forgetLater(true);
  }

  /** Nobody waits for it, and it keeps no process from ending. */
  #forgetLater(isStart = false): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      // What is changed from now on may need another look.
      this.#isDue = false;
      void this.#forget(isStart);
    }, retentionPauseMs).unref();
  }

  async #forget(isStart: boolean): Promise<void> {
    if (this.#opened === undefined) return;
    const { directory, retention } = this.#opened;
    // The history may be closed meanwhile, and its descriptors belong to other directories.
    directory.hold();
    try {
      await retention?.run(this.#notices);
      if (isStart) await retention?.sweep(this.#notices);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      // Such as a history that another program has removed: the next look tries again.
      this.#notices.push(noticeOf('Old changes could not be forgotten', error));
    } finally {
      directory.close();
    }
  }

  /** Descriptors to be synced before a change is acknowledged. */
  get unsynced(): readonly number[] {
    if (this.setup.durability === 'none' || this.#opened === undefined) return [];
    const { log, kept } = this.#opened;
    return syncsDirectories(this.setup) ? [log.fd, kept.readable] : [log.fd];
  }

  close(): void {
    this.#end = this.#opened?.log.end ?? this.#end;
    for (const each of this.#opened?.opened ?? []) each.close();
    this.#opened = undefined;
  }
}

/** Something else is at its place, or it belongs to another user. */
function isObstacle({ code }: SystemError): boolean {
  return isDenied(code) || ['ENOTDIR', 'ELOOP', 'EEXIST'].includes(code);
}

function cannotBeWritten(error: SystemError): OperationError {
  return writeFailed(error, {
    reason: `the history cannot be written (${describe(error)})`,
    details: `Nothing was written. Have ${reservedName}/${historyName} and all in it belong to the user of the server, or removed: then a new history begins.`,
  });
}

function notRecorded(error: unknown): unknown {
  const isOurs = error instanceof OperationError;
  if (!isOurs && !isSystemError(error)) return error;
  const why = isOurs ? error.message : describe(error);
  return new OperationError('not_durable', 'Edit applied but not recorded in the history', {
    details: `The change is made, but the history lacks it (${why}). Do not send it again.`,
    data: { ...(isOurs ? {} : { errno: error.code }), applied: true },
    cause: String(error),
  });
}
