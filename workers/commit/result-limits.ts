import { OperationError } from '../../src/core/errors.js';
import { bytesPerMb } from '../../src/core/memory/held.js';
import type { WorkerSetup } from '../../src/core/thread/task.js';
import { resultTooLarge } from '../disk/read.js';
import type { Context } from '../handler.js';
import type { EditLimits } from '../text/edit/replacements.js';
import { release, type Text } from '../text/scattered-text.js';
import { assertResultLines } from '../text/text-file.js';

/**
 * Checks a new text against the limits of files. A refused text is released.
 * @param found the original text, which is not released; the same one if nothing changes
 * @param lines the line count; called only if lines are limited
 * @throws OperationError too_large (--max-size), too_many_lines (--max-lines)
 */
export function assertResult(
  text: Text,
  found: Buffer | undefined,
  lines: () => number,
  { maxBytes, maxLines }: Pick<WorkerSetup, 'maxBytes' | 'maxLines'>,
): void {
  try {
    if (text.length > maxBytes) throw resultTooLarge(text.length, maxBytes);
    if (maxLines !== undefined) assertResultLines(lines(), maxLines);
  } catch (error) {
    if (text !== found) release(text);
    throw error;
  }
}

/** The limits of a call's edits by text. */
export function limitsOf(context: Context): EditLimits {
  const {
    progress,
    model,
    workspace: { setup },
  } = context;
  return {
    mayTakeCrlf: model !== undefined,
    // Writers that wait for the file must not wait for a call that has already been answered.
    beforeEach() {
      if (progress.cancelled) throw new OperationError('cancelled', 'Cancelled before all edits were made');
    },
    beforeResult(bytes) {
      if (bytes > setup.maxBytes) throw resultTooLarge(bytes, setup.maxBytes);
    },
    // A little more than the result may have: the next edit may remove text that this one inserts.
    mostBytes: setup.maxBytes + bytesPerMb,
  };
}
