import { resultTooLarge } from '../disk/read.js';
import type { WorkerSetup } from '../../src/core/thread/task.js';
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
