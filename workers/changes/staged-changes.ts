import { directoryMovesIn, version, type ChangeRecord, type Step } from './record/record.js';
import { Directories } from './record/directories.js';
import type { Tree } from './record/steps.js';
import type { Anchor } from '../disk/paths/anchor.js';
import { createTemporary, discardTemporary, type TemporaryFile } from '../disk/write/temporary-file.js';
import { writeWhole } from '../disk/write/write-whole.js';
import type { Context } from '../handler.js';
import { keepStep, keptNameOf } from '../history/change-set.js';
import { discard } from '../history/kept-files.js';
import { setToRecord } from './entry-of-change.js';
import { isUntouched, movesDirectory, oldPathOf, seenAs, stepOf, type Change } from './change.js';
import { withChangeNumber } from './with-change-number.js';
import { stage, type Staged } from '../commit/stage.js';

/** Changes whose new texts are in temporary files, as is the record of all of them. */
export class StagedChanges {
  /** The working directory. It stays open, since paths below it begin with its descriptor. */
  readonly anchor: Anchor;
  readonly reserved: Anchor;
  readonly texts: Staged[] = [];
  readonly record: ChangeRecord;
  /** Holds the record. */
  readonly file: TemporaryFile;
  readonly tree: Tree;
  /** Once set, the temporary files belong to the record. */
  isDecided = false;
  /** Where what will be replaced or removed is kept, if it is: opened before the changes are decided. */
  keptIn: readonly Anchor[] = [];
  readonly #changes = new Map<Step, Change>();
  readonly #kept = new Set<string>();

  /** @throws OperationError write_failed, with the number of the change; the system error */
  constructor(
    changes: readonly Change[],
    private readonly context: Context,
  ) {
    const { workspace, notices } = context;
    this.anchor = workspace.root.anchor;
    this.reserved = workspace.reserved.use(notices);
    this.anchor.hold();
    this.reserved.hold();
    this.tree = {
      directories: new Directories(this, directoryMovesIn(changes.filter(movesDirectory).map((each) => stepOf(each)))),
      reserved: this.reserved,
      notices,
      isUntouched: (step, place) => isUntouched(this.changeOf(step), place),
      keep: (step, path) => {
        this.#keep(step, path);
      },
    };
    let file: TemporaryFile | undefined;
    try {
      for (const change of changes)
        this.#changes.set(
          withChangeNumber(change, () => this.#stage(change)),
          change,
        );
      file = createTemporary(this.reserved, notices);
      const record = { version, ino: String(file.stats.ino), steps: [...this.#changes.keys()] } as const;
      const { change } = context;
      // What keeps the history from being written refuses the changes before they are made.
      if (change !== undefined) workspace.history.open(notices);
      this.record = change === undefined ? record : { ...record, history: setToRecord(changes, change, file) };
      writeWhole(file.fd, Buffer.from(JSON.stringify(this.record)));
      this.file = file;
    } catch (error) {
      this.#discard(file);
      throw error;
    }
  }

  get changes(): readonly Change[] {
    return [...this.#changes.values()];
  }

  changeOf(step: Step): Change {
    const change = this.#changes.get(step);
    if (change === undefined) throw new Error('a step belongs to no change');
    return change;
  }

  /**
   * Keep what will be replaced or removed, before the changes are decided: on disk before anything of it is gone.
   * @throws the system error
   */
  keep(): void {
    for (const step of this.record.steps) {
      const old = step.kind === 'replace' || step.kind === 'remove' ? oldPathOf(this.changeOf(step)) : undefined;
      if (old === undefined) continue;
      withChangeNumber(this.changeOf(step), () => {
        this.#keep(step, old.path);
      });
    }
    const { workspace, notices } = this.context;
    if (this.record.history !== undefined) this.keptIn = [workspace.history.open(notices).kept];
  }

  close(): void {
    this.#discard(this.file);
  }

  #keep(step: Step, path: string): void {
    const { record, context } = this;
    const kept = keepStep(context.workspace.history, record, step, path, context.notices);
    if (kept === undefined || record.history === undefined) return;
    this.#kept.add(keptNameOf(record.history.set, record.steps.indexOf(step)));
    this.#changes.set(step, seenAs(this.changeOf(step), kept));
  }

  #stage(change: Change): Step {
    if (change.kind === 'remove') change.version?.file.release();
    if (change.kind === 'remove' || change.kind === 'move' || change.kind === 'make') return stepOf(change);
    const { workspace, notices } = this.context;
    const { root, reserved, setup } = workspace;
    const { text } = change;
    const { original = null } = change;
    const directory = change.kind === 'create' ? change.spot.parent.anchor.base : change.original.file.place.directory;
    const { like = original } = change.kind === 'replace' ? change : {};
    const staged = stage({ root, reserved, setup, original: like, directory, text, notices });
    this.texts.push(staged);
    // A network file system may rename an open file aside (disk/write/remote.ts).
    original?.file.release();
    return stepOf(change, staged.temporary);
  }

  #discard(file: TemporaryFile | undefined): void {
    this.tree.directories.close();
    if (!this.isDecided) this.#discardKept();
    for (const { temporary } of this.texts) this.#discardOne(temporary);
    if (file !== undefined) this.#discardOne(file);
    this.anchor.close();
    this.reserved.close();
  }

  #discardKept(): void {
    const { workspace, notices } = this.context;
    for (const name of this.#kept) discard(workspace.history.open(notices).kept.path(name), notices);
    this.#kept.clear();
  }

  #discardOne(temporary: TemporaryFile): void {
    if (this.isDecided) temporary.isRenamed = true;
    discardTemporary(temporary, this.context.notices);
  }
}
