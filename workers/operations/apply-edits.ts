import type { ForModel } from '../../src/core/errors.js';
import { jsonOf } from '../../src/core/json/json-of.js';
import { plainNames } from '../../src/core/names/path.js';
import { mostValues } from '../answers/hand-over.js';
import type { ResultOf, Together } from '../handler.js';
import { applyReplacements, type EditReports } from '../text/edit/replacements.js';
import { placesOfEdits } from '../text/place.js';
import { limitsOf } from '../commit/result-limits.js';
import { changingText, tookCrlf, type ChangeText } from '../commit/text-at-path.js';

let loaded: Together<'apply_edits'> | undefined;

/** Find and replace texts in a file, all or nothing (spec 11). */
export const editByText: Together<'apply_edits'> = {
  async together(calls) {
    // Loaded on first use: a thread that never makes a diff needs no diff library.
    loaded ??= changingText(reportingBy(await import('../text/edit/unified-diff.js')));
    return loaded.together(calls);
  },
};

function reportingBy({ unifiedDiff }: typeof import('../text/edit/unified-diff.js')): ChangeText<'apply_edits'> {
  return (old, { path, edits, replace_all = false, dry_run = false }, context) => {
    const made = applyReplacements(old, edits, replace_all, limitsOf(context));
    const { text, editsApplied, totalReplacements, replacements, edited, mayMix } = made;
    const report = (): { members: ResultOf<'apply_edits'>; forModel: ForModel } => {
      const place = placesOfEdits(made.firstLines);
      const diff = edited === undefined ? '' : unifiedDiff(plainNames(path).join('/'), old, edited);
      if (edited !== text) edited?.release();
      return {
        members: {
          edits_applied: editsApplied,
          total_replacements: totalReplacements,
          replacements: listed(replacements) > mostValues ? Buffer.from(jsonOf(replacements)) : replacements,
          diff,
          dry_run,
        },
        forModel: {
          ...(place === undefined ? {} : { place }),
          remarks: made.tookCrlf ? [tookCrlf] : [],
        },
      };
    };
    return { text, mayMix, report, dryRun: dry_run };
  };
}

/** Number of line numbers in the report. */
function listed(replacements: EditReports): number {
  return replacements.reduce((sum, { lines }) => sum + lines.length, 0);
}
