/** Runs the storage tools in this thread, as a worker does. */
import { failure, type Outcome } from '../../src/core/errors.js';
import {
  rows,
  type OperationName,
  type OperationOf,
  type Params,
  type Precondition,
} from '../../src/core/operations.js';
import { asToldBy } from '../../src/core/path-failure.js';
import { validate } from '../../src/call/validation/index.js';
import { checkPaths } from '../../src/core/names/path.js';
import { failureOf, type Handler } from '../../workers/handler.js';
import { handlers } from '../../workers/handlers.js';
import { Progress } from '../../workers/progress.js';
import type { WorkerSetup } from '../../src/core/thread/task.js';
import type { Workspace } from '../../workers/workspace.js';
import { workspaceOf } from '../workspace.js';

export class StorageScene {
  readonly workspace: Workspace;
  readonly notices: string[] = [];

  constructor(directory: string, setup: Partial<WorkerSetup> = {}) {
    this.workspace = workspaceOf(directory, setup);
  }

  /** One call from parameters to outcome. @param progress replaces the default */
  async call<Name extends OperationName>(
    name: Name,
    params: Params[Name],
    { progress, precondition }: { progress?: Progress; precondition?: Precondition } = {},
  ): Promise<Outcome> {
    const operation = rows[name];
    const outcome =
      validate(operation, params) ??
      checkPaths(operation, params) ??
      (await this.run(operation, params, progress, precondition));
    return outcome.ok ? outcome : asToldBy(operation, params, outcome);
  }

  private async run<Name extends OperationName>(
    operation: OperationOf<Name>,
    params: Params[Name],
    progress = new Progress(new Int32Array(new SharedArrayBuffer(4)), 0),
    precondition?: Precondition,
  ): Promise<Outcome> {
    const handler: Handler<Name> = handlers[operation.name];
    const context = { workspace: this.workspace, progress, precondition, notices: [] };
    try {
      this.workspace.root.refresh();
      if (typeof handler === 'function') return await handler(params, context);
      if (handler.alone !== undefined) return await handler.alone(params, context);
      const [outcome] = await handler.together([{ operation, params, context }]);
      if (outcome === undefined || outcome.ok === null) return failure('internal', 'not run');
      return outcome;
    } catch (error) {
      return failureOf(error);
    } finally {
      this.notices.push(...context.notices.map(({ message }: { message: string }) => message));
    }
  }
}

/** The result as a client gets it. */
export function resultOf(outcome: Outcome): unknown {
  if (!outcome.ok) throw new Error(`${outcome.message}: ${outcome.details} ${outcome.cause ?? ''}`);
  if (outcome.json === undefined) return outcome.result;
  return JSON.parse(Buffer.from(outcome.json).toString());
}
