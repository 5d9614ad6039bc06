import type { WorkerSetup } from '../src/core/thread/task.js';
import { createWorkspace, type Workspace } from '../workers/workspace.js';

/** A worker thread's view of a directory, without the thread. @param setup overrides of the defaults */
export function workspaceOf(directory: string, setup: Partial<WorkerSetup> = {}): Workspace {
  return createWorkspace(setupOf(directory, setup));
}

/** The settings of a worker thread. @param setup overrides of the defaults */
export function setupOf(directory: string, setup: Partial<WorkerSetup> = {}): WorkerSetup {
  return {
    directory,
    readOnly: false,
    maxBytes: 10_000_000,
    maxLines: undefined,
    names: 'portable',
    durability: 'none',
    umask: 0o022,
    keepsReads: false,
    phases: new SharedArrayBuffer(4),
    ...setup,
  };
}
