/** The tasks that a thread runs for its server, with its own view of the working directory. */
import type { Notice } from '../src/core/errors.js';
import { Scope, type Limits } from '../src/core/globs/scope.js';
import { largeTextsIn } from '../src/core/json/large-text.js';
import { collectPaced } from '../src/core/memory/free.js';
import { rows } from '../src/core/operations.js';
import type { Task, TaskAnswer, WorkerSetup } from '../src/core/thread/task.js';
import { finishLeftovers } from './changes/record/abandoned.js';
import { isSystemError, noticeOf } from './disk/system-error.js';
import { failureOf } from './handler.js';
import { perform } from './perform.js';
import { Progress } from './progress.js';
import { warmUp } from './text/kernel.js';
import { nextTurn } from './turn.js';
import { createWorkspace, type Workspace } from './workspace.js';

/** More than most servers have tokens. */
const mostScopes = 100;

export class Tasks {
  private readonly workspace: Workspace;
  private readonly phases: Int32Array;
  /** Parsed patterns, by their texts. */
  private readonly scopes = new Map<string, Scope>();

  /** @throws the system error if the working directory cannot be opened */
  constructor(private readonly setup: WorkerSetup) {
    this.workspace = createWorkspace(setup);
    this.phases = new Int32Array(setup.phases);
    if (setup.sharesThread !== true) warmUp();
  }

  /** Run the calls of a task, as many as fit into one answer. Never rejects. */
  async run({ operation: name, calls }: Task): Promise<TaskAnswer> {
    const { workspace, phases, setup } = this;
    const operation = rows[name];
    if (operation.writes) {
      for (const { params } of calls) {
        for (const { length } of largeTextsIn(params)) collectPaced(length);
      }
      await nextTurn();
    }
    const begun = calls.map(({ params, slot, precondition, lineBase, model, search, limits, caller }) => {
      const progress = new Progress(phases, slot);
      return {
        operation,
        params,
        context: {
          workspace: limits === undefined ? workspace : this.within(limits),
          progress,
          precondition,
          lineBase,
          model,
          search,
          change: setup.history === undefined || !operation.writes ? undefined : { operation: name, caller },
          notices: [],
        },
      };
    });
    return perform(operation, begun);
  }

  /** The workspace for callers who may use only these files. */
  private within(limits: Limits): Workspace {
    const { workspace, scopes } = this;
    const key = JSON.stringify(limits);
    let scope = scopes.get(key);
    if (scope === undefined) {
      scope = Scope.of(limits);
      if (scopes.size >= mostScopes) scopes.clear();
      scopes.set(key, scope);
    }
    return { ...workspace, root: workspace.root.within(scope) };
  }

  /** Remove leftovers of killed processes. Never throws. */
  sweep(): TaskAnswer {
    const notices: Notice[] = [];
    if (this.setup.readOnly) return [];
    try {
      this.workspace.root.refresh();
      finishOrTell(this.workspace, notices);
      this.workspace.history.settle(notices);
      this.workspace.reserved.sweepLeftovers(notices);
    } catch (error) {
      const what = 'Leftovers of killed processes could not be removed; the first write tries again';
      if (isSystemError(error)) notices.push(noticeOf(what, error));
      else notices.push({ message: `${what}: ${failureOf(error).message}` });
    }
    return [{ ok: true, result: {}, notices }];
  }

  /** Release the descriptors kept between tasks; the next task reopens them. */
  close(): void {
    this.workspace.close();
  }
}

/** Unfinished changes must not keep the server from starting: the next writes try again. */
function finishOrTell(workspace: Workspace, notices: Notice[]): void {
  try {
    finishLeftovers(workspace, notices);
  } catch (error) {
    const { message, details } = failureOf(error);
    notices.push({ message: `${message}. ${details}` });
  }
}
