/** Applies the calls of a group in memory, one after another, then writes all their changes once. */
import { OperationError, type Failure, type Notice } from '../../src/core/errors.js';
import type { OperationName } from '../../src/core/operations.js';
import { changeSynced, syncsDirectories } from '../disk/write/directory-sync.js';
import type { OpenFile } from '../disk/paths/open-file.js';
import type { FileLock } from '../disk/lock/lock.js';
import { RootMoved } from '../disk/paths/root.js';
import { readVersion, type Version } from '../disk/write/version.js';
import { failureOf, type Call, type Context } from '../handler.js';
import { Phase, type TaskAnswer } from '../../src/core/thread/task.js';
import { countLines } from '../text/lines/lines.js';
import { assertLineLimit, assertUtf8 } from '../text/text-file.js';
import { Recording } from '../history/recording.js';
import { answersOf, applyInOrder, type Applied } from './applied.js';
import { commitText } from './commit.js';
import { FileText } from './file-text.js';
import { Absent, type TextOperation } from './text-operation.js';

export interface Target {
  readonly name: string;
  readonly file: OpenFile | Absent;
  readonly lock: FileLock;
}

/**
 * Apply the calls in order, each to the text left by those before it, then write once.
 * @param early the result on a missing file, computed before its lock was taken
 * @returns one answer for each call that was begun
 * @throws OperationError if all of them fail for the same reason; RootMoved, with nothing written
 */
export async function commitGroup<Name extends OperationName>(
  calls: readonly Call<Name>[],
  operation: TextOperation<Name>,
  target: Target,
  early?: Applied,
): Promise<TaskAnswer> {
  const [first] = calls;
  if (first === undefined) return [];
  const { context } = first;
  const { name, file } = target;
  const original = file instanceof Absent ? file : readOriginal(file, operation, name, context);
  const found = original instanceof Absent ? original : new FileText(original.bytes);
  const texts: FileText[] = found instanceof Absent ? [] : [found];
  if (early !== undefined && calls.length > 1) {
    // `applyInOrder` left them at this phase; waiting for the lock has moved them back.
    for (const each of calls.slice(0, early.answers.length)) each.context.progress.advance(Phase.ready);
  }
  const apply = (): Applied => applyInOrder(calls, operation, found);
  try {
    for (let applied = early ?? apply(); ; applied = apply()) {
      const { text, changers } = applied;
      texts.push(...applied.texts);
      if (text instanceof Absent || changers.size === 0) return confirmed(calls, operation, target, answersOf(applied));
      try {
        return await write(target, original, text, applied, context);
      } catch (error) {
        // A call was cancelled: retry without it, on the unchanged text.
        if (error instanceof OperationError && error.failure.kind === 'cancelled') continue;
        if (error instanceof RootMoved || calls.length === 1) throw error;
        return afterFailure(failureOf(error), applied, context.notices);
      }
    }
  } finally {
    // Answers hold no bytes of a text.
    for (const text of texts) text.release();
  }
}

/**
 * A call that changes nothing may repeat an edit that was applied but not confirmed durable, by this process or by one
 * that was killed. So sync the directory before acknowledging such a call, too.
 */
function confirmed<Name extends OperationName>(
  calls: readonly Call<Name>[],
  operation: TextOperation<Name>,
  { file }: Target,
  outcomes: TaskAnswer,
): TaskAnswer {
  const acknowledged = calls.filter(
    ({ params }, index) => outcomes[index]?.ok === true && operation.isDry?.(params) !== true,
  );
  const [first] = acknowledged;
  if (first === undefined || file instanceof Absent) return outcomes;
  const { workspace, notices } = first.context;
  if (!syncsDirectories(workspace.setup)) return outcomes;
  try {
    changeSynced(workspace.root, [file.place.directory], notices, () => undefined);
    return outcomes;
  } catch (error) {
    const failed = failureOf(error);
    return outcomes.map((outcome, index) => (acknowledged.some((call) => call === calls[index]) ? failed : outcome));
  }
}

/** The whole file, read under the lock. @throws OperationError if it cannot be edited */
export function readOriginal(
  file: OpenFile,
  { anyBytes }: Pick<TextOperation<OperationName>, 'anyBytes'>,
  name: string,
  { workspace: { setup } }: Context,
): Version {
  const version = readVersion(file, name, setup.maxBytes);
  if (anyBytes === true) return version;
  assertUtf8(version.bytes);
  if (setup.maxLines !== undefined) assertLineLimit(countLines(version.bytes), setup.maxLines);
  return version;
}

function write(
  { name, file, lock }: Target,
  found: Version | Absent,
  { content: text }: FileText,
  applied: Applied,
  { workspace: { root, reserved, history, setup }, notices }: Context,
): Promise<TaskAnswer> {
  const place = file instanceof Absent ? root.place(name) : file.place;
  const { relative: path } = place;
  const toRecord = applied.toRecord.map(({ change, entry }) => ({ change, entry: { ...entry, path } }));
  const recording = toRecord.length === 0 ? undefined : new Recording(history, toRecord, notices);
  const original = found instanceof Absent ? null : found;
  const calls = [...applied.changers.values()];
  return commitText({ root, reserved, setup, lock, place, original, text, calls, recording, name, notices }, () =>
    answersOf(applied),
  );
}

function afterFailure(failed: Failure, applied: Applied, notices: Notice[]): TaskAnswer {
  const { answers, changers } = applied;
  // The change is, or may be, in the file: a second run could apply it twice. Calls that changed nothing keep their
  // answers.
  if (failed.data?.applied !== undefined) {
    return answersOf(applied).map((outcome, index) => (changers.has(index) ? failed : outcome));
  }
  // Nothing was written, so the text that later calls saw never existed: run each again alone.
  const errno = failed.data?.errno;
  notices.push({
    message: `${String(answers.length)} edits could not be written together and are run one by one: ${failed.message}`,
    ...(errno === undefined ? {} : { errno }),
  });
  return answers.map(() => ({ ok: null }));
}
