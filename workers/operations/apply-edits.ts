import { OperationError } from '../../src/errors.js';
import { parsePath } from '../../src/validation/path.js';
import type { Together } from '../handlers.js';
import { applyReplacements } from '../text/replacements.js';
import { changingText } from './text-at-path.js';

/** Find and replace texts in a file, all or nothing (contract 11). */
export const applyEdits: Together<'apply_edits'> = {
  async together(calls) {
    // Loaded when first needed: threads that never make a diff need no library for it.
    const { unifiedDiff } = await import('../text/unified-diff.js');
    return changingText<'apply_edits'>((text, { path, edits, replace_all = false, dry_run = false }, progress) => {
      // Whoever waits for the file must not wait for a call that has its answer already.
      const assertWanted = (): void => {
        if (progress.cancelled) throw new OperationError('cancelled', 'Cancelled before all edits were made');
      };
      const { bytes, editsApplied, totalReplacements, replacements, changes } = applyReplacements(
        text,
        edits,
        replace_all,
        assertWanted,
      );
      const members = {
        edits_applied: editsApplied,
        total_replacements: totalReplacements,
        replacements,
        diff: unifiedDiff(parsePath(path).steps.join('/'), text, bytes, changes),
        dry_run,
      };
      return { bytes, members, dryRun: dry_run };
    }).together(calls);
  },
};
