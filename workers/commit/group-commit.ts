/** Applies the calls of a group one after the other in memory, then writes once for all that they have changed. */
import { OperationError, type Failure, type Notice } from '../../src/errors.js';
import type { OperationName } from '../../src/operations.js';
import { writeAtomically } from '../disk/atomic-write.js';
import { changeSynced } from '../disk/directory-sync.js';
import type { OpenFile } from '../disk/open-file.js';
import type { FileLock } from '../disk/lock.js';
import { removePlaceholder } from '../disk/placeholder.js';
import { RootMoved } from '../disk/root.js';
import { readVersion, type Version } from '../disk/version.js';
import { failureOf } from '../failure-of.js';
import type { Call, Context } from '../handler.js';
import type { Progress } from '../progress.js';
import { Stage, type TaskAnswer } from '../task.js';
import { countLines } from '../text/lines/lines.js';
import { assertLineLimit, assertUtf8 } from '../text/text-file.js';
import { applyInOrder, type Applied } from './applied.js';
import { FileText } from './file-text.js';
import { Absent, type TextOperation } from './text-operation.js';

export interface Target {
  readonly name: string;
  readonly file: OpenFile | Absent;
  readonly lock: FileLock;
  /** Whether its name still leads to where the file is. */
  readonly isMeant: () => boolean;
}

/**
 * Apply the calls in order, each to the text that the ones before it have left, then write once.
 * @returns an answer for as many calls as were begun
 * @throws OperationError if all of them fail for the same reason; RootMoved, with nothing written
 */
export async function commitGroup<Name extends OperationName>(
  calls: readonly Call<Name>[],
  operation: TextOperation<Name>,
  target: Target,
): Promise<TaskAnswer> {
  const [first] = calls;
  if (first === undefined) return [];
  const { context } = first;
  const { name, file } = target;
  const original = file instanceof Absent ? file : readText(file, name, context);
  const texts: FileText[] = original instanceof Absent ? [] : [new FileText(original.bytes)];
  try {
    for (;;) {
      const made = applyInOrder(calls, operation, original instanceof Absent ? original : new FileText(original.bytes));
      const { text, changers } = made;
      texts.push(...made.texts);
      if (text instanceof Absent || changers.size === 0) return confirmed(calls, operation, target, made.outcomes);
      try {
        await write(target, original, text, made, context);
        return made.outcomes;
      } catch (error) {
        // A call was cancelled: once more without it, on the text that nobody has changed.
        if (error instanceof OperationError && error.failure.kind === 'cancelled') continue;
        if (error instanceof RootMoved || calls.length === 1) throw error;
        return afterFailure(failureOf(error), made, context.notices);
      }
    }
  } finally {
    // Answers hold no bytes of a text.
    for (const text of texts) text.release();
  }
}

/**
 * What changes nothing may be the repetition of an edit that was applied but not confirmed durable, by this process or
 * by one that was killed: it is not acknowledged before the directory is synced either.
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
  if (workspace.setup.durability !== 'full') return outcomes;
  try {
    changeSynced(workspace.root, [file.place.directory], notices, () => undefined);
    return outcomes;
  } catch (error) {
    const failed = failureOf(error);
    return outcomes.map((outcome, index) => (acknowledged.some((call) => call === calls[index]) ? failed : outcome));
  }
}

/**
 * All or none. First looked at, then claimed: giving a claim up again may cost its call the last chance to be
 * cancelled.
 */
function claimAll(changers: readonly Progress[]): boolean {
  return !changers.some(({ cancelled }) => cancelled) && changers.every((each) => each.advance(Stage.claimed));
}

/** The whole text, read under the lock. @throws OperationError if it cannot be edited */
function readText(file: OpenFile, name: string, { workspace: { setup } }: Context): Version {
  const version = readVersion(file, name, setup.maxBytes);
  assertUtf8(version.bytes);
  if (setup.maxLines !== undefined) assertLineLimit(countLines(version.bytes), setup.maxLines);
  return version;
}

function write(
  { name, file, lock, isMeant }: Target,
  found: Version | Absent,
  { content: text }: FileText,
  made: Applied,
  { workspace: { root, reserved, setup }, notices }: Context,
): Promise<void> {
  const { anchor } = root;
  const { durability, umask } = setup;
  const place =
    file instanceof Absent
      ? { relative: name, path: anchor.path(name), directory: anchor.base, parent: '' }
      : file.place;
  const original = found instanceof Absent ? null : found;
  // Under the lock of its path, a placeholder can only be one that a killed process has left.
  if (original === null) removePlaceholder(place.path);
  const changers = [...made.changers.values()];
  const steps = {
    isMeant,
    claim: () => claimAll(changers),
    meanwhile: {
      work: () => made.outcomes,
      rest: () => {
        for (const each of changers) each.advance(Stage.ready);
      },
    },
  };
  return writeAtomically({ root, reserved, lock, original, place, text, durability, umask, ...steps, notices }, name);
}

function afterFailure(failed: Failure, applied: Applied, notices: Notice[]): TaskAnswer {
  const { made, changers } = applied;
  // It is, or may be, in the file: made again it would be there twice. Calls that changed nothing keep their answers.
  if (failed.data?.applied !== undefined) {
    return applied.outcomes.map((outcome, index) => (changers.has(index) ? failed : outcome));
  }
  // Nothing was written, so the text that the later calls found never existed: each is run again, by itself.
  const errno = failed.data?.errno;
  notices.push({
    message: `${String(made.length)} edits could not be written together and are run one by one: ${failed.message}`,
    ...(errno === undefined ? {} : { errno }),
  });
  return made.map(() => ({ ok: null }));
}
