import { Reserved } from './disk/reserved.js';
import { Root } from './disk/root.js';
import type { WorkerSetup } from './task.js';

/** What every operation of a worker thread works on. */
export interface Workspace {
  readonly setup: WorkerSetup;
  readonly root: Root;
  readonly reserved: Reserved;
}

export function createWorkspace(setup: WorkerSetup): Workspace {
  const root = new Root(setup.directory);
  return { setup, root, reserved: new Reserved(root) };
}
