import { bytesPerMb, mostHeld } from '../../src/memory/held.js';
import { OperationError, type ForModel } from '../../src/errors.js';
import type { Results } from '../../src/operations.js';
import { plainNames } from '../../src/validation/path.js';
import { resultTooLarge } from '../disk/read.js';
import { mostValues } from '../hand-over.js';
import type { Context, ResultOf, Together } from '../handler.js';
import { freeLines, lineNumberBytes, replacementsJson, replacementValues } from '../text/replace/replacements-json.js';
import { applyReplacements, type Limits, type Replaced } from '../text/replace/replacements.js';
import { placesOf } from '../text/place.js';
import { changingText, tookCrlf } from './text-at-path.js';

/** Find and replace texts in a file, all or nothing (spec 11). */
export const applyEdits: Together<'apply_edits'> = {
  async together(calls) {
    // Loaded when first needed: a thread that never makes a diff needs no library for it.
    const { unifiedDiff } = await import('../text/replace/unified-diff.js');
    return changingText<'apply_edits'>((old, { path, edits, replace_all = false, dry_run = false }, context) => {
      const made = applyReplacements(old, edits, replace_all, limitsOf(context));
      const { text, editsApplied, totalReplacements, replacements, edited, mayMix } = made;
      const report = (): { members: ResultOf<'apply_edits'>; forModel: ForModel } => {
        const place = placesOf(replacements);
        const diff = edited === undefined ? '' : unifiedDiff(plainNames(path).join('/'), old, edited);
        if (edited !== text) edited?.release();
        return {
          members: {
            edits_applied: editsApplied,
            total_replacements: totalReplacements,
            replacements: reportOf(replacements, totalReplacements),
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
    }).together(calls);
  },
};

/** What the edits did, after which their line numbers are gone. */
function reportOf(replacements: readonly Replaced[], total: number): Buffer | Results['apply_edits']['replacements'] {
  const report = total > mostValues ? replacementsJson(replacements) : replacementValues(replacements);
  freeLines(replacements);
  return report;
}

function limitsOf(context: Context): Limits {
  const {
    progress,
    model,
    workspace: { setup },
  } = context;
  return {
    mayTakeCrlf: model !== undefined,
    // Writers that wait for the file must not wait for a call that already has its answer.
    beforeEach() {
      if (progress.cancelled) throw new OperationError('cancelled', 'Cancelled before all edits were made');
    },
    beforeResult(bytes) {
      if (bytes > setup.maxBytes) throw resultTooLarge(bytes, setup.maxBytes);
    },
    // A little more than the result may have: the next edit may take out what this one has put in.
    mostBytes: setup.maxBytes + bytesPerMb,
    // What cannot be answered must be refused before it is written: no more memory is set aside for answers (spec 6).
    mostReplacements: Math.floor(mostHeld(setup.maxBytes) / lineNumberBytes),
  };
}
