import { isUtf8 } from 'node:buffer';
import { bytesOf as bytesOfText } from '../../src/core/json/large-text.js';
import type { Params } from '../../src/core/operations.js';
import { commitCreation } from '../commit/commit-creation.js';
import { atLockedPath, untilUnchanged } from '../commit/locked-path.js';
import { entryAt } from '../disk/paths/find.js';
import { namesDirectory, pathExists } from '../disk/paths/path-errors.js';
import type { Root } from '../disk/paths/root.js';
import { assertMayChange } from '../disk/paths/scope.js';
import type { Spot } from '../disk/paths/walk.js';
import type { Context, SuccessOf } from '../handler.js';
import { bytesOfBase64 } from '../answers/base64.js';
import { countLines } from '../text/lines/lines.js';
import { release } from '../text/scattered-text.js';
import { hashOf } from '../text/text-file.js';
import { assertResult } from './result-limits.js';

/** Create a file that does not exist yet, with the directories that it needs (spec 11). */
export async function createFile(params: Params['create'], context: Context): Promise<SuccessOf<'create'>> {
  const { path, return_hash } = params;
  const content = new Content(params, context);
  try {
    const hash = await createAt(path, context, content);
    return { ok: true, result: { success: true, path, ...(return_hash === true ? { hash } : {}) }, hash };
  } finally {
    content.release();
  }
}

/** The whole content of a file, as a request has it. */
export class Content {
  readonly #params: Given;
  readonly #context: Context;
  #made: Buffer | undefined;

  constructor(params: Given, context: Context) {
    this.#params = params;
    this.#context = context;
  }

  /** @throws OperationError invalid_encoding, too_large, too_many_lines */
  get bytes(): Buffer {
    return (this.#made ??= bytesOf(this.#params, this.#context));
  }

  release(): void {
    if (this.#made !== undefined) release(this.#made);
  }
}

type Given = Pick<Params['create'], 'content' | 'encoding'>;

/**
 * Create a file that does not exist yet, with the directories that it needs.
 * @returns its hash
 * @throws OperationError file_exists if anything is there
 */
export function createAt(path: string, context: Context, content: Content): Promise<string> {
  // Check the path first: otherwise a caller might fix the text only to learn that the path is unusable.
  const refuse = (spot: Spot | 'root'): Buffer => {
    refuseExisting(context.workspace.root, path, spot);
    return content.bytes;
  };
  // Another program may remove a directory on the way, or create the file.
  return untilUnchanged(context, () =>
    atLockedPath(context, path, refuse, (spot, lock) => {
      const { bytes: text } = content;
      return commitCreation({ spot, text }, lock, context, () => hashOf(text));
    }),
  );
}

function bytesOf({ content, encoding = 'utf-8' }: Given, { workspace: { setup } }: Context): Buffer {
  const text = bytesOfText(content);
  const bytes = encoding === 'utf-8' ? text : bytesOfBase64(text);
  // Binary content has no lines.
  const lines = (): number => (encoding === 'utf-8' || isUtf8(bytes) ? countLines(bytes) : 0);
  assertResult(bytes, undefined, lines, setup);
  return bytes;
}

/** @throws OperationError file_exists, permission_denied; invalid_params if the path can only mean a directory */
export function refuseExisting(root: Root, path: string, spot: Spot | 'root'): void {
  if (spot !== 'root') assertMayChange(root, spot, false);
  const what = spot === 'root' ? spot : entryAt(spot);
  if (spot === 'root' || what !== undefined) throw pathExists(path, what);
  if (spot.directory) throw namesDirectory('path', path);
}
