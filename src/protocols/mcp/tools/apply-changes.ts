import type { Success } from '../../../core/errors.js';
import { onOneLine } from '../../../core/names/names-in-messages.js';
import { jsonOf } from '../../../core/json/json-of.js';
import type { Results } from '../../../core/operations.js';
import { valueOf } from '../../../call/result-json.js';
import { diffLeftOut } from './apply-edits.js';
import { resultOrFailure, wholeResult } from './storage.js';
import { shortDiff } from './short-diff.js';
import { fits, type Presentation, type Presented, type Tool } from './tool.js';

type Changed = Results['apply_changes']['changes'][number];

type Present = Tool<'apply_changes' | 'undo'>['present'];

/** A change of several files, as a model reads it. */
export const presentChanges: Present = (outcome, _params, presentation) => {
  const presented = presentedWhole(outcome, presentation);
  if (fitsWithHashes(presented, presentation)) return presented;
  // A completed change is never answered with an error (spec 10).
  const { changes, ...others } = outcome.result;
  const short = { ...others, diff: diffLeftOut };
  const shortened = presentedWhole({ ...outcome, result: { ...short, changes } }, presentation);
  if (fitsWithHashes(shortened, presentation)) return shortened;
  return wholeResult([jsonOf(summary(outcome))], { ...outcome, result: short });
};

export const applyChangesTool: Tool<'apply_changes'> = {
  purpose: 'edits files and more, several at once',
  description: () =>
    'Edit, write, delete and rename files in one call, all or nothing. Also to edit a single file. Name each file once, with all its edits. \\n in old_string is taken for the line breaks of the file. Returns a diff.',
  output: resultOrFailure('apply_changes'),
  present: presentChanges,
};

function fitsWithHashes(presented: Presented, presentation: Presentation): boolean {
  const { text, hashes = '' } = presented;
  return fits({ ...presented, text: [...text, jsonOf(hashes)] }, presentation);
}

function presentedWhole(outcome: Success, presentation: Presentation): Presented {
  const { changes: made, diff: given, dry_run } = outcome.result;
  const changes = changesIn(valueOf(made));
  const { remarks = [], undone = [] } = outcome.forModel ?? {};
  const isRehearsal = dry_run === true;
  const lines = undone.map((each) => `${isRehearsal ? 'Would undo' : 'Undone'}: ${each}`);
  const ofChanges = changes.flatMap((each) => [
    toldChange(each, isRehearsal),
    ...(each.notice === undefined ? [] : [each.notice]),
  ]);
  lines.push(...ofChanges, ...remarks.map(onOneLine));
  const diff = shortDiff(String(valueOf(given)), isRehearsal, presentation);
  if (ofChanges.length === 0 && diff === '') lines.push('No file changes.');
  const text = [lines.join('\n'), ...(diff === '' ? [] : [diff])].join('\n\n');
  return { ...wholeResult([jsonOf(text)], outcome), hashes: hashesOf(changes) };
}

function changesIn(value: unknown): readonly Changed[] {
  return Array.isArray(value) ? value.map((change: Changed) => change) : [];
}

const verbs = {
  edited: 'edit',
  created: 'create',
  replaced: 'replace',
  deleted: 'delete',
  renamed: 'rename',
} as const satisfies Record<Changed['kind'], string>;

function toldChange({ path, kind, new_path, total_replacements: replaced }: Changed, isRehearsal: boolean): string {
  const done = `${isRehearsal ? `would ${verbs[kind]}` : kind} ${onOneLine(path)}`;
  const moved = new_path === undefined ? done : `${done} -> ${onOneLine(new_path)}`;
  return replaced === undefined ? moved : `${moved} (${replaced} ${replaced === 1 ? 'replacement' : 'replacements'})`;
}

function hashesOf(changes: readonly Changed[]): string {
  return changes
    .flatMap(({ path, new_path = path, hash }) => (hash === undefined ? [] : [`Hash: ${hash} ${onOneLine(new_path)}`]))
    .join('\n');
}

/** For when even the list of names is too long, as in a batch that shares one message. */
function summary({ result: { files_changed, dry_run } }: Success): string {
  const done = dry_run === true ? 'would change' : 'changed';
  return `${done} ${String(files_changed)} ${files_changed === 1 ? 'file' : 'files'}, as asked: their list is too long for one answer.`;
}
