import { failure, type Success } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { onOneLine } from '../../../core/names/told-names.js';
import type { Params, Results } from '../../../core/operations.js';
import { valueOf } from '../../../call/result-json.js';
import { resultOrFailure, wholeResult } from './storage.js';
import { fits, type Tool } from './tool.js';

type FoundFile = Results['grep']['files'][number];

export const grepTool: Tool<'grep'> = {
  purpose: 'searches in files',
  description: () =>
    'Search the contents of files, line by line. With return_hash, edit what was found without reading it first.',
  output: resultOrFailure('grep'),
  present(success, params, presentation) {
    const files = filesIn(valueOf(success.result['files']));
    const text = files.length === 0 ? nothingFound(success, params) : `${shown(files, params)}\n\n${ended(success)}`;
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

function ended({ result }: Success): string {
  const matches = counted(Number(result['total_matches']), 'match', 'matches');
  const files = counted(Number(result['total_files']), 'file', 'files');
  const more = result['truncated'] === true ? `\n[More is left. Go on with cursor "${String(result['cursor'])}".]` : '';
  return `${matches} in ${files}${more}`;
}

/** `12:text` for a match, `13-text` for a line around it; each once, and a match before anything else. */
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

const reasons = { binary: 'not text', too_large: 'too large', unreadable: 'not readable' };

function nothingFound({ result: { searched, skipped } }: Success, params: Params['grep']): string {
  const left = Object.entries(reasons).flatMap(([kind, reason]) => {
    const files = Number(Reflect.get(Object(skipped), kind));
    return files > 0 ? [`${files} ${reason}`] : [];
  });
  const leftOut = left.length === 0 ? '' : ` (left out: ${left.join(', ')})`;
  const wider = [
    ...(params.ignore_case === true ? [] : ['ignore_case']),
    ...(params.literal === true || !/[\\^$.*+?()[\]{}|]/.test(params.pattern) ? [] : ['literal']),
    ...(params.hidden === true ? [] : ['hidden']),
    ...(params.ignored === true ? [] : ['ignored']),
  ];
  const hint = wider.length === 0 ? '' : `\n[Perhaps there are with ${oneOf(wider)}.]`;
  return `No matches in ${counted(Number(searched), 'file', 'files')}${leftOut}${hint}`;
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}

function oneOf(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}
