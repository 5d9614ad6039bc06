import { OperationError, type Failure } from '../../src/core/errors.js';
import { rows, type Params } from '../../src/core/operations.js';
import { changeTogether } from '../commit/file-group.js';
import { FileText } from '../commit/file-text.js';
import { mostAttempts } from '../commit/locked-path.js';
import { Absent, type Change, type TextOperation } from '../commit/text-operation.js';
import { pathNotFound } from '../disk/paths/path-errors.js';
import type { Call, Context, SuccessOf } from '../handler.js';
import { unlessSame } from '../text/scattered-text.js';
import { Content, createAt } from './create.js';
import { assertExpected, expectingAt, isExpecting, isGone } from './has-changed.js';
import { openFileAt } from './text-at-path.js';

/** Write the whole content of a file (spec 11): replace the expected version, or create a file where there is none. */
export async function writeFile(params: Params['write'], context: Context): Promise<SuccessOf<'write'>> {
  const { path, return_hash } = params;
  const content = new Content(params, context);
  const done = (created: boolean, hash: string, more: Pick<SuccessOf<'write'>, 'changed'> = {}): SuccessOf<'write'> => {
    const result = { success: true, path, created, ...(return_hash === true ? { hash } : {}) } as const;
    return { ok: true, result, hash, ...more };
  };
  try {
    // Between the two steps another program may create the file or delete it.
    for (let attempts = 1; ; attempts++) {
      const replaced = await replace(params, context, content);
      if (replaced !== undefined) return done(false, replaced.hash, replaced);
      try {
        return done(true, await createAt(path, context, content));
      } catch (error) {
        const appeared = error instanceof OperationError && error.kind === 'file_exists';
        if (!appeared || attempts === mostAttempts) throw error;
      }
    }
  } finally {
    content.release();
  }
}

type Replaced = Pick<SuccessOf<'write'>, 'changed'> & { readonly hash: string };

/** @returns undefined if no file is there, and none is expected */
async function replace(params: Params['write'], context: Context, content: Content): Promise<Replaced | undefined> {
  const operation: TextOperation<'write'> = {
    nameOf: ({ path }) => path,
    open: openFileAt,
    anyBytes: true,
    change: (call, found) => replaceContent(call, found, content),
  };
  const [outcome] = await changeTogether([{ operation: rows.write, params, context }], operation);
  if (outcome?.ok === true) {
    const { hash = '', changed } = outcome;
    return { hash, ...(changed === undefined ? {} : { changed }) };
  }
  if (outcome?.ok !== false) throw new Error('a lone write has no outcome');
  if (outcome.kind === 'not_found') return undefined;
  throw errorOf(outcome);
}

/**
 * The whole content of a file that is there.
 * @throws OperationError not_found, file_exists, changed; what the content is refused for
 */
export function replaceContent(
  { params, context }: Pick<Call<'write'>, 'params' | 'context'>,
  found: FileText | Absent,
  content: Content,
): Change {
  const { path, expected_hash } = params;
  const isAny = expected_hash === '*';
  const about = { ...expectingAt(params), expected_hash: isAny ? undefined : expected_hash };
  const precondition = context.precondition ?? (isAny ? '*' : undefined);
  const expects = isExpecting(about, precondition);
  if (found instanceof Absent) {
    const { refusal = pathNotFound(path) } = found;
    throw expects ? isGone(about, refusal) : refusal;
  }
  if (!expects) throw wouldReplace(path, found.hash);
  assertExpected(about, precondition, () => found.hash);
  const bytes = unlessSame(found.bytes, content.bytes);
  const text = bytes === found.bytes ? found : new FileText(bytes);
  return { text, answer: () => ({ ok: true, result: {}, hash: text.hash }) };
}

/** A file is there, and the caller has not said that it has seen it. */
function wouldReplace(path: string, hash: string): OperationError {
  return new OperationError('file_exists', `File already exists: ${path}`, {
    details: `Nothing was changed. Look at the file first; to replace all of it, send this call again with expected_hash "${hash}".`,
    data: { path, current_hash: hash },
  });
}

/** The error that a failure came from. */
export function errorOf({ kind, message, details, data, cause }: Failure): OperationError {
  return new OperationError(kind, message, {
    details,
    ...(data === undefined ? {} : { data }),
    ...(cause === undefined ? {} : { cause }),
  });
}
