/** Runs groups of edits of one file in this thread, as a worker does. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows, type Params, type Precondition } from '../../src/core/operations.js';
import type { Call } from '../../workers/handler.js';
import { editFile } from '../../workers/operations/edit.js';
import { Progress } from '../../workers/progress.js';
import type { TaskAnswer, WorkerSetup } from '../../src/core/thread/task.js';
import type { Workspace } from '../../workers/workspace.js';
import { workspaceOf } from '../workspace.js';

/** An edit of a group: parameters without the file name, and the other members of a call. */
export interface Edit extends Omit<Params['edit_file'], 'name'> {
  readonly precondition?: Precondition;
  /** Replaces the default. */
  readonly progress?: (phases: Int32Array, slot: number) => Progress;
}

export interface Ran {
  readonly answer: TaskAnswer;
  readonly phases: readonly number[];
  readonly notices: readonly string[];
}

export class GroupScene {
  readonly path: string;
  private readonly workspace: Workspace;

  constructor(
    directory: string,
    readonly name = 'a.txt',
    setup: Partial<WorkerSetup> = {},
  ) {
    this.path = join(directory, name);
    this.workspace = workspaceOf(directory, setup);
  }

  /** Runs all of them as one task. */
  async run(edits: readonly Edit[]): Promise<Ran> {
    const phases = new Int32Array(new SharedArrayBuffer(Math.max(1, edits.length) * Int32Array.BYTES_PER_ELEMENT));
    const calls = edits.map(({ precondition, progress, ...params }, slot): Call<'edit_file'> => {
      const own = progress?.(phases, slot) ?? new Progress(phases, slot);
      const context = { workspace: this.workspace, progress: own, precondition, notices: [] };
      return { operation: rows.edit_file, params: { name: this.name, ...params }, context };
    });
    this.workspace.root.refresh();
    const answer = await editFile.together(calls);
    for (const { context } of calls) context.progress.end();
    const notices = calls.flatMap(({ context }) => context.notices.map(({ message }) => message));
    return { answer, phases: [...phases], notices };
  }

  /** Undefined if there is no file. */
  get text(): string | undefined {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8') : undefined;
  }
}
