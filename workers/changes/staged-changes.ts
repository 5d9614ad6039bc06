import { version, type ChangeRecord, type Step } from './record/record.js';
import { Directories } from './record/directories.js';
import type { Tree } from './record/steps.js';
import type { Anchor } from '../disk/paths/anchor.js';
import { createTemporary, discardTemporary, type TemporaryFile } from '../disk/write/temporary-file.js';
import { writeWhole } from '../disk/write/write-whole.js';
import type { Context } from '../handler.js';
import { isUntouched, stepOf, type Change } from './change.js';
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
  readonly #changes = new Map<Step, Change>();

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
      directories: new Directories(this),
      reserved: this.reserved,
      notices,
      isUntouched: (step) => isUntouched(this.changeOf(step)),
    };
    let file: TemporaryFile | undefined;
    try {
      for (const change of changes)
        this.#changes.set(
          withChangeNumber(change, () => this.#stage(change)),
          change,
        );
      file = createTemporary(this.reserved, notices);
      this.record = { version, ino: String(file.stats.ino), steps: [...this.#changes.keys()] };
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

  close(): void {
    this.#discard(this.file);
  }

  #stage(change: Change): Step {
    if (change.kind === 'remove') change.version?.file.release();
    if (change.kind === 'remove' || change.kind === 'move') return stepOf(change);
    const { workspace, notices } = this.context;
    const { root, reserved, setup } = workspace;
    const { text } = change;
    const { original = null } = change;
    const directory = change.kind === 'create' ? change.spot.parent.anchor.base : change.original.file.place.directory;
    const staged = stage({ root, reserved, setup, original, directory, text, notices });
    this.texts.push(staged);
    // A network file system may rename an open file aside (disk/write/remote.ts).
    original?.file.release();
    return stepOf(change, staged.temporary);
  }

  #discard(file: TemporaryFile | undefined): void {
    this.tree.directories.close();
    for (const { temporary } of this.texts) this.#discardOne(temporary);
    if (file !== undefined) this.#discardOne(file);
    this.anchor.close();
    this.reserved.close();
  }

  #discardOne(temporary: TemporaryFile): void {
    if (this.isDecided) temporary.isRenamed = true;
    discardTemporary(temporary, this.context.notices);
  }
}
