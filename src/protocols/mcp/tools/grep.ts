import { failure, type Success } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { onOneLine } from '../../../core/names/names-in-messages.js';
import type { Params, Results } from '../../../core/operations.js';
import { valueOf } from '../../../call/result-json.js';
import { resultOrFailure, wholeResult } from './storage.js';
import { counted, toldLeftOut, toldNote } from './searched.js';
import { fits, type Tool } from './tool.js';

type FoundFile = Results['grep']['files'][number];

export const grepTool: Tool<'grep'> = {
  purpose: 'searches in files',
  description: () => 'Search files line by line. With return_hash, edit what was found without reading it first.',
  output: resultOrFailure('grep'),
  present(success, params, presentation) {
    const files = filesIn(valueOf(success.result['files']));
    const lines = files.length === 0 ? '' : `${shown(files, params)}\n\n`;
    const end = Number(success.result['total_matches']) > 0 ? ended(success) : nothingFound(success, params);
    const leftOut = toldLeftOut(success, lines.length + end.counts.length + end.more.length, presentation);
    const text = `${lines}${end.counts}${leftOut}${end.more}`;
    const hashes = files.map(({ path, hash }) => `Hash: ${hash ?? ''} ${onOneLine(path)}`).join('\n');
    const presented = { ...wholeResult([jsonOf(text)], success), hashes };
    if (fits(presented, presentation)) return presented;
    return failure('too_large', `The matches in ${files.length} files are too long for one answer`, {
      details: 'Send a smaller limit or less context, and go on with the cursor of the answer.',
    });
  },
};

function filesIn(value: unknown): readonly FoundFile[] {
  return Array.isArray(value) ? value.map((file: FoundFile) => file) : [];
}

function shown(files: readonly FoundFile[], { mode }: Params['grep']): string {
  if (mode === 'files') return files.map(({ path, count }) => `${onOneLine(path)} (${count})`).join('\n');
  return files.map((file) => [onOneLine(file.path), ...linesOf(file)].join('\n')).join('\n\n');
}

/** The last lines, before and after the note on what was left out. */
interface End {
  readonly counts: string;
  readonly more: string;
}

function ended({ result }: Success): End {
  const matches = counted(Number(result['total_matches']), 'match', 'matches');
  const files = counted(Number(result['total_files']), 'file', 'files');
  const more = result['truncated'] === true ? `\n[More is left. Go on with cursor "${String(result['cursor'])}".]` : '';
  return { counts: `${matches} in ${files}`, more };
}

/** `12:text` for a match, `13-text` for a context line; each line once, as a match if it is one. */
function linesOf({ matches = [] }: FoundFile): string[] {
  const lines = new Map<number, string>();
  for (const { line, before = [], after = [] } of matches) {
    before.forEach((text, index) => {
      addTo(lines, line - before.length + index, text);
    });
    after.forEach((text, index) => {
      addTo(lines, line + 1 + index, text);
    });
  }
  for (const { line, text } of matches) lines.set(line, `${line}:${text}`);
  return [...lines].sort(([a], [b]) => a - b).map(([, line]) => line);
}

function addTo(lines: Map<number, string>, number: number, text: string): void {
  if (!lines.has(number)) lines.set(number, `${number}-${text}`);
}

function nothingFound(success: Success, params: Params['grep']): End {
  const { searched } = success.result;
  if (params.cursor !== undefined) return { counts: 'No more matches after this cursor', more: '' };
  const { pattern, literal, ignore_case: ignoreCase, hidden, ignored, glob } = params;
  const isFile = success.forModel?.isFile === true;
  // Without its escapes, only the letters of a pattern differ in case.
  const letters = literal === true ? pattern : pattern.replaceAll(/\\[^pPux]/g, '');
  const wider = [
    ...(ignoreCase === true || letters.toLowerCase() === letters.toUpperCase() ? [] : ['ignore_case']),
    ...(literal === true || !/[\\^$.*+?()[\]{}|]/.test(pattern) ? [] : ['literal']),
    ...(hidden === true || isFile ? [] : ['hidden']),
    ...(ignored === true || isFile ? [] : ['ignored']),
  ];
  // If the glob matches no file, only the glob needs to change: its note says how, if anything would match.
  const isAboutGlob = glob !== undefined && Number(searched) === 0;
  const hint = wider.length === 0 || isAboutGlob ? '' : `\n[Try again with ${oneOf(wider)}.]`;
  return { counts: `No matches in ${counted(Number(searched), 'file', 'files')}`, more: hint + toldNote(success) };
}

function oneOf(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}
