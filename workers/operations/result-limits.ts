import { resultTooLarge } from '../disk/read.js';
import type { WorkerSetup } from '../../src/core/thread/task.js';
import { release, type Text } from '../text/scattered-text.js';
import { assertResultLines } from '../text/text-file.js';

/**
 * A text that is to be written may not be larger than files may be. One that is refused is released.
 * @param found the text that was found, which is not; the same one if nothing changes
 * @param lines how many it has; asked for only if they are limited
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
