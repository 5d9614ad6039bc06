import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { listSteps } from '../../workers/operations/list.js';
import { Progress } from '../../workers/progress.js';
import { atOnce } from '../../workers/turn.js';
import type { WorkerSetup } from '../../src/core/thread/task.js';
import type { Workspace } from '../../workers/workspace.js';
import { workspaceOf } from '../workspace.js';

export interface Listed {
  readonly name: string;
  readonly size: number;
  readonly modified: string;
  readonly readable: boolean;
  readonly writable: boolean;
  readonly lines: number;
}

/** A worker thread's view of a directory, without the thread. */
export class Lister {
  readonly workspace: Workspace;

  constructor(directory: string, options: Partial<WorkerSetup> = {}) {
    this.workspace = workspaceOf(directory, { readOnly: true, maxBytes: 1_048_576, ...options });
  }

  /** The answer as it leaves the thread. */
  answer(): Buffer {
    const { workspace } = this;
    workspace.root.refresh();
    const progress = new Progress(new Int32Array(workspace.setup.phases), 0);
    const { json } = atOnce(listSteps({}, { workspace, progress, precondition: undefined, notices: [] }));
    assert.ok(json !== undefined);
    return Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  }

  files(): Listed[] {
    const { files } = JSON.parse(this.answer().toString()) as { files: Listed[] };
    return files;
  }

  /** Name and lines of each file: the shortest way to say what a list should contain. */
  lines(): Record<string, number> {
    return Object.fromEntries(this.files().map(({ name, lines }) => [name, lines]));
  }

  close(): void {
    this.workspace.root.anchor.close();
  }
}

/** Wait until files that were just written are old enough to be recognized (src/core/file-identity.ts). */
export function untilTrusted(): Promise<void> {
  return sleep(115);
}

export const cannotCountReads = process.platform === 'linux' ? false : 'needs the counters of /proc';

/** The number of file reads that this thread made during `work`. */
export function readsDuring(work: () => void): number {
  // Reading the counter is itself a read.
  const before = readCalls();
  const cost = readCalls() - before;
  const start = readCalls();
  work();
  return readCalls() - start - cost;
}

function readCalls(): number {
  return Number(/^syscr: (\d+)$/m.exec(readFileSync('/proc/thread-self/io', 'latin1'))?.[1]);
}
