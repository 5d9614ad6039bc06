import { OperationError } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import { changeTogether } from '../commit/file-group.js';
import { FileText } from '../commit/file-text.js';
import { Absent, type Change, type TextOperation } from '../commit/text-operation.js';
import { openRegular } from '../disk/paths/confine.js';
import type { Call, Context, ResultOf, Together } from '../handler.js';
import { assertAscending } from '../text/edit/edit-checks.js';
import { applyLineEdits } from '../text/edit/line-edits.js';
import { assertExpected, hasChanged, isExpecting, isGone } from '../commit/has-changed.js';
import { callListFiles, noteOnCase, otherNames, twins } from './names-beside.js';
import { assertResult } from '../commit/result-limits.js';

const operation: TextOperation<'edit_file'> = { nameOf: ({ name }) => name, open: openRegular, change };

/** Edit the lines of a text file, all or nothing (spec 5.3). */
export const editFile: Together<'edit_file'> = { together: (calls) => changeTogether(calls, operation) };

const nothing = new FileText(Buffer.alloc(0));

function change({ params, context }: Call<'edit_file'>, found: FileText | Absent): Change {
  const { edits = [], append, return_hash } = params;
  if (found instanceof Absent) {
    assertMayCreate(params, context, found);
    assertOnlyInserts(params, context);
  } else assertExpected(params, context.precondition, () => found.hash);
  const old = found instanceof Absent ? nothing : found;
  const { text: edited, linesModified, totalLines, summary } = applyLineEdits(old.bytes, edits, append, old.summary);
  assertResult(edited, old.bytes, () => totalLines, context.workspace.setup);
  const text = edited === old.bytes ? old : new FileText(edited, summary);
  const isSeen = context.model !== undefined && found instanceof Absent;
  const note = isSeen ? noteOnCase(context, params.name) : undefined;
  return {
    text,
    answer() {
      const { hash } = text;
      const result: ResultOf<'edit_file'> = {
        success: true,
        lines_modified: linesModified,
        file_created: found instanceof Absent,
        new_total_lines: totalLines,
        ...(return_hash === true ? { hash } : {}),
      };
      return { ok: true, result, hash, ...(note === undefined ? {} : { forModel: { remarks: [note] } }) };
    },
  };
}

/** @param absent may stand for a dangling link: its file is missing too, but may never be created */
function assertMayCreate(params: Params['edit_file'], context: Context, { refusal: dangling }: Absent): void {
  const { name, create_if_missing } = params;
  const { precondition, model } = context;
  const creates = create_if_missing === true;
  // If the caller expects a version, report that it is gone (412), not that a flag is missing.
  if (isExpecting(params, precondition)) {
    if (dangling !== undefined) throw isGone(params, dangling);
    throw hasChanged({ ...params, meant: otherNames(context, name) }, precondition, undefined);
  }
  if (creates && dangling !== undefined) throw dangling;
  if (!creates) {
    throw new OperationError('not_found', `File '${name}' not found and create_if_missing is false`, {
      details: dangling?.failure.details ?? `${otherNames(context, name)}${orCreate}`,
    });
  }
  if (model?.filledIn.includes('create_if_missing') !== true) return;
  // A reader could not tell the two names apart.
  const meant = twins(context, name);
  if (meant === '') return;
  throw new OperationError('not_found', `File '${name}' not found`, { details: `${meant}${orCreate}` });
}

const orCreate = 'Call list_files to see which files exist, or send create_if_missing: true to create this one.';

/** A new file has no lines to change: the name is probably misspelt. */
function assertOnlyInserts({ name, edits = [] }: Params['edit_file'], context: Context): void {
  for (const [index, edit] of edits.entries()) {
    const { line, operation } = edit;
    if (operation === 'insert') continue;
    assertAscending(edit, index);
    const meant = otherNames(context, name);
    throw new OperationError(
      'invalid_range',
      (shown) => `Line ${shown(line)} out of range for ${operation} operation`,
      {
        details: (shown) =>
          `File '${name}' does not exist. ${meant}${callListFiles} To create this one, insert at line ${shown(1)} or use append instead of /edits/${index}.`,
      },
    );
  }
}
