import type { ForModel } from '../../src/core/errors.js';
import type { Params, Precondition } from '../../src/core/operations.js';
import { changeTogether } from './file-group.js';
import { FileText } from './file-text.js';
import { Absent, type Change, type TextOperation } from './text-operation.js';
import { Directory } from '../disk/paths/anchor.js';
import { find } from '../disk/paths/find.js';
import type { OpenFile } from '../disk/paths/open-file.js';
import { isADirectory, pathNotFound } from '../disk/paths/path-errors.js';
import type { Root } from '../disk/paths/root.js';
import type { Call, Context, Together } from '../handler.js';
import { countLines } from '../text/lines/lines.js';
import { noticeOfMix } from '../text/edit/mixed-endings.js';
import { release, type Text } from '../text/scattered-text.js';
import { assertExpected, expectingAt, isExpecting, isGone } from './has-changed.js';
import { assertResult } from './result-limits.js';

/** The outcome of a change to a text. */
interface ChangedText {
  /** The given text itself if nothing changes. */
  readonly text: Text;
  /** Whether a text with one kind of separator may have several after the change. */
  readonly mayMix: boolean;
  /** Details of the change beyond its path and hash. It cannot fail. */
  readonly report: () => Report;
  /** The text is only reported, not written. */
  readonly dryRun?: boolean;
}

interface Report {
  /** Additional members of the result. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly forModel: ForModel;
}

/** Tells a model that its `\n` were taken as `\r\n` (spec 15). */
export const tookCrlf = '(line breaks taken as \\r\\n, as in the file)';

/** Operations on the text of the file at `path`. */
type TextName = 'str_replace' | 'insert' | 'apply_edits';

/**
 * The change itself, a pure function of the whole text, valid UTF-8. It may stop early if the call is cancelled.
 * @throws OperationError to refuse
 */
export type ChangeText<Name extends TextName> = (text: Buffer, params: Params[Name], context: Context) => ChangedText;

/** An operation that changes a text file at a path (spec 11): everything but the change itself. */
export function changingText<Name extends TextName>(change: ChangeText<Name>): Together<Name> {
  const operation: TextOperation<Name> = {
    nameOf: ({ path }) => path,
    open: openFileAt,
    isDry: (params) => 'dry_run' in params && params.dry_run,
    change: (call, found) => changed(change, call, found),
  };
  return { together: (calls) => changeTogether(calls, operation) };
}

/** @throws OperationError not_found, is_directory and others if no file can be used there */
export function openFileAt(root: Root, path: string): OpenFile {
  const found = find(root, path, 'file');
  if (!(found instanceof Directory)) return found;
  found.close();
  throw isADirectory(path);
}

/** @throws OperationError not_found; changed, if another version is expected */
export function assertFound(
  found: FileText | Absent,
  path: string,
  about: ReturnType<typeof expectingAt>,
  precondition?: Precondition,
): asserts found is FileText {
  if (found instanceof Absent) {
    const { refusal = pathNotFound(path) } = found;
    throw isExpecting(about, precondition) ? isGone(about, refusal) : refusal;
  }
  assertExpected(about, precondition, () => found.hash);
}

function changed<Name extends TextName>(
  change: ChangeText<Name>,
  { params, context }: Call<Name>,
  found: FileText | Absent,
): Change {
  const { path } = params;
  const about = expectingAt(params);
  assertFound(found, path, about, context.precondition);
  const { text, mayMix, report, dryRun = false } = change(found.bytes, params, context);
  assertResult(text, found.bytes, () => countLines(text), context.workspace.setup);
  const changes = text !== found.bytes;
  const made = dryRun || !changes ? found : new FileText(text);
  return {
    text: made,
    answer() {
      const { hash } = made;
      const notice = mayMix && changes ? noticeOfMix(found.bytes, text, !dryRun) : undefined;
      const { members, forModel } = report();
      const result = {
        success: true,
        path,
        ...members,
        ...(notice === undefined ? {} : { notice }),
        ...(params.return_hash === true ? { hash } : {}),
      };
      if (dryRun && changes) release(text);
      return { ok: true, result, hash, forModel };
    },
  };
}
