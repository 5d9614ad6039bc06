/** Runs calls in this thread as a server with --history does. */
import assert from 'node:assert/strict';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { FailureData, Success } from '../../src/core/errors.js';
import type { OperationName, Params } from '../../src/core/operations.js';
import type { TaskAnswer, WorkerSetup } from '../../src/core/thread/task.js';
import { Tasks } from '../../workers/tasks.js';
import type { RecordedChange } from '../../workers/history/recorded-change.js';
import { withDirectory } from '../directory.js';
import { setupOf } from '../workspace.js';

export type Answer = TaskAnswer[number];

export class HistoryScene {
  private readonly tasks: Tasks;

  constructor(
    private readonly directory: string,
    setup: Partial<WorkerSetup> = {},
  ) {
    const history = { days: 30, mostBytes: 1_073_741_824 };
    this.tasks = new Tasks(setupOf(directory, { history, phases: new SharedArrayBuffer(4_096), ...setup }));
  }

  async call<Name extends OperationName>(operation: Name, params: Params[Name], caller = 'agent'): Promise<Answer> {
    const [answer = assert.fail('no answer')] = await this.together(operation, [params], caller);
    return answer;
  }

  /** Several calls as one task. */
  together<Name extends OperationName>(
    operation: Name,
    several: readonly Params[Name][],
    caller = 'agent',
  ): Promise<TaskAnswer> {
    return this.tasks.run({ operation, calls: several.map((params, slot) => ({ params, slot, caller })) });
  }

  /** A call that succeeds. @returns its result */
  async done<Name extends OperationName>(
    operation: Name,
    params: Params[Name],
    caller?: string,
  ): Promise<Success['result']> {
    const answer = await this.call(operation, params, caller);
    assert.ok(answer.ok === true, JSON.stringify(answer));
    return answer.result;
  }

  /** A call that changes something. @returns its id */
  async change<Name extends OperationName>(operation: Name, params: Params[Name], caller?: string): Promise<string> {
    const { change_id: id } = await this.done(operation, params, caller);
    assert.ok(typeof id === 'string', 'it has changed something');
    return id;
  }

  /** What a starting server does. */
  start(): TaskAnswer {
    return this.tasks.sweep();
  }

  close(): void {
    this.tasks.close();
  }

  get log(): RecordedChange[] {
    return logIn(this.directory);
  }
}

/** The lines of the log, oldest first; all must be whole. */
export function logIn(directory: string): RecordedChange[] {
  return textOfLog(directory)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as RecordedChange);
}

export function textOfLog(directory: string): string {
  const log = join(directory, '.file-editor/history');
  if (!existsSync(log)) return '';
  return readdirSync(log)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => readFileSync(join(log, name), 'utf8'))
    .join('');
}

export function keptIn(directory: string): string[] {
  const kept = join(directory, '.file-editor/history/kept');
  return existsSync(kept) ? readdirSync(kept).sort() : [];
}

/** Everything in the directory, with modes, contents and targets. */
export function everythingIn(directory: string): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(directory.length + 1);
    if (name.startsWith('.file-editor')) continue;
    const mode = (lstatSync(path).mode & 0o7777).toString(8);
    tree[name] = entry.isFile()
      ? [mode, readFileSync(path, 'latin1')]
      : entry.isSymbolicLink()
        ? readlinkSync(path)
        : mode;
  }
  return tree;
}

export function withScene(
  files: Readonly<Record<string, string>>,
  use: (scene: HistoryScene, directory: string) => Promise<void>,
  setup: Partial<WorkerSetup> = {},
): Promise<void> {
  return withDirectory(files, (directory) => inScene(directory, (scene) => use(scene, directory), setup));
}

/** As a server in this directory, which is closed even if it is killed: its timers must not meet later ones. */
export async function inScene(
  directory: string,
  use: (scene: HistoryScene) => unknown,
  setup: Partial<WorkerSetup> = { durability: 'full' },
): Promise<void> {
  const scene = new HistoryScene(directory, setup);
  try {
    await use(scene);
  } finally {
    scene.close();
  }
}

export function refusedWith(answer: Answer): { kind: string; data: FailureData } {
  assert.ok(answer.ok === false, JSON.stringify(answer));
  return { kind: answer.kind, data: answer.data ?? {} };
}

/** An edit of a.txt. */
export const edit = (
  old_string: string,
  new_string: string,
): { path: string; edits: { old_string: string; new_string: string }[] } => ({
  path: 'a.txt',
  edits: [{ old_string, new_string }],
});
