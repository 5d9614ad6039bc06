import { Reserved } from './disk/reserved.js';
import { Root } from './disk/root.js';
import { ListMemory } from './operations/list-memory.js';
import type { WorkerSetup } from './task.js';

/** What every operation of a worker thread works on. */
export interface Workspace {
  readonly setup: WorkerSetup;
  readonly root: Root;
  readonly reserved: Reserved;
  /** What the last listing found. */
  readonly listed: ListMemory;
}

export function createWorkspace(setup: WorkerSetup): Workspace {
  const root = new Root(setup.directory);
  return { setup, root, reserved: new Reserved(root), listed: new ListMemory() };
}
