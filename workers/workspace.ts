import { Reserved } from './disk/lock/reserved.js';
import { Root } from './disk/paths/root.js';
import { ListMemory } from './operations/list-memory.js';
import type { WorkerSetup } from '../src/core/thread/task.js';

/** The context of every operation of a worker thread. */
export interface Workspace {
  readonly setup: WorkerSetup;
  readonly root: Root;
  readonly reserved: Reserved;
  /** Results of the last listing. */
  readonly listed: ListMemory;
  /** Release its descriptors, for programs that outlive its thread. */
  close(): void;
}

/** A thread's state for the working directory. @throws the system error if that cannot be opened */
export function createWorkspace(setup: WorkerSetup): Workspace {
  const root = new Root(setup.directory);
  const reserved = new Reserved(root);
  return {
    setup,
    root,
    reserved,
    listed: new ListMemory(),
    close() {
      reserved.forget();
      root.close();
    },
  };
}
