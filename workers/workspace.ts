import { Reserved } from './disk/lock/reserved.js';
import { Root } from './disk/paths/root.js';
import { History } from './history/history.js';
import { ListMemory } from './operations/list-memory.js';
import { KeptBetweenSearches } from './search/kept-between-searches.js';
import type { WorkerSetup } from '../src/core/thread/task.js';

/** The context of every operation of a worker thread. */
export interface Workspace {
  readonly setup: WorkerSetup;
  readonly root: Root;
  readonly reserved: Reserved;
  readonly history: History;
  /** Results of the last listing. */
  readonly listed: ListMemory;
  /** Patterns and buffers that a search leaves for the next one. */
  readonly keptBetweenSearches: KeptBetweenSearches;
  /** Release its descriptors, and memory that only speeds up the next call. */
  close(): void;
}

/** A thread's state for the working directory. @throws the system error if that cannot be opened */
export function createWorkspace(setup: WorkerSetup): Workspace {
  const root = new Root(setup.directory);
  const reserved = new Reserved(root);
  const history = new History(root, reserved, setup);
  const keptBetweenSearches = new KeptBetweenSearches();
  return {
    setup,
    root,
    reserved,
    history,
    listed: new ListMemory(),
    keptBetweenSearches,
    close() {
      keptBetweenSearches.clear();
      history.close();
      reserved.forget();
      root.close();
    },
  };
}
