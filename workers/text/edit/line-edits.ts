import { bytesOf, type LargeText } from '../../../src/core/json/large-text.js';
import type { ValidLineEdit } from '../../../src/core/operations.js';
import { unlessSame, type Text } from '../scattered-text.js';
import {
  bomLength,
  dominantSeparator,
  sum,
  summaryAfterAppend,
  type LineSummary,
  type Separator,
} from '../separators.js';
import { assertEditLines, endLineOf, insertOutOfRange } from './edit-checks.js';
import { newText, type NewText } from '../lines/new-text.js';
import { isOpen, joinPieces, splitPiece, type LinePiece } from '../lines/pieces.js';
import { findSeparators, separatorBefore } from '../lines/separator-ends.js';

/** A line of the file that an edit names: its bytes including the separator. */
interface NamedLine {
  readonly start: number;
  readonly end: number;
  readonly separator: Separator | '';
}

interface OldText extends LineSummary {
  readonly bytes: Buffer;
  readonly named: ReadonlyMap<number, NamedLine>;
}

interface EditedLines {
  /** The old bytes themselves if nothing changes. */
  readonly text: Text;
  /** As requested, whether or not the text differs. */
  readonly linesModified: number;
  /** As a reader of the text counts them. */
  readonly totalLines: number;
  /** Summary of the text, if known without a full scan. */
  readonly summary: LineSummary | undefined;
}

interface Change {
  readonly index: number;
  readonly line: number;
  /** The last line that is replaced or deleted; for an insert, `line`. */
  readonly endLine: number;
  readonly operation: ValidLineEdit['operation'];
  /** Empty for a delete. */
  readonly content: NewText;
}

/**
 * Apply line edits and then append (spec 4 and 5.3). Untouched bytes stay unchanged.
 *
 * @param old the whole file, valid UTF-8; empty for a file that does not exist
 * @param edits at most 1000; every `line` and `end_line` counts from 1 in `old`
 * @param append `undefined` and `""` append nothing
 * @param summary of `old`, if known; saves an append-only call the full scan
 * @throws OperationError `invalid_range` or `invalid_params`, see edit-checks.ts
 */
export function applyLineEdits(
  old: Buffer,
  edits: readonly ValidLineEdit[],
  append: string | LargeText | undefined,
  summary?: LineSummary,
): EditedLines {
  const file = summary !== undefined && edits.length === 0 ? known(old, summary) : locate(old, edits);
  assertEditLines(edits, file.totalLines);
  const appended = append === undefined || append.length === 0 ? undefined : newText(bytesOf(append));
  if (edits.length === 0 && appended === undefined) {
    return { text: old, linesModified: 0, totalLines: file.totalLines, summary: file };
  }

  const changes = edits.map((edit, index) => {
    const { line, operation, content = '' } = edit;
    return { index, line, endLine: endLineOf(edit), operation, content: newText(bytesOf(content)) };
  });
  const written = [...changes.map(({ content }) => content), ...(appended === undefined ? [] : [appended])];
  const separator = dominantSeparator(
    file.totalLines > 0 ? file.separators : sum(written.map(({ separators }) => separators)),
  );
  const inOrder = changes.toSorted((a, b) => a.line - b.line || rank(a) - rank(b));
  const near = inOrder.filter(({ line }) => line <= file.totalLines + 1);
  const pieces = insertFurtherOut(arrange(file, near, separator), inOrder.slice(near.length), file, separator);
  if (appended !== undefined) pieces.push(pieceOf(appended, separator));
  const ended = file.totalLines === 0 || file.ended || appended?.ended === true;
  endLines(pieces, ended, separator);

  const bom = old.subarray(0, bomLength(old));
  const joined = joinPieces(bom, bom.length > 0 ? withoutBom(pieces) : pieces, separator);
  const text = unlessSame(old, joined.text);
  const { totalLines } = joined;
  const linesModified = changes.reduce((sum, change) => sum + linesOf(change), appended?.lines ?? 0);
  if (text === old) return { text, linesModified, totalLines, summary: file };
  const grown =
    edits.length === 0 ? summaryAfterAppend(file, old, { separator, lines: linesModified, ended }) : undefined;
  return { text, linesModified, totalLines, summary: grown };
}

/** For a replace, the number of old or new lines, whichever is greater (spec 5.3). */
function linesOf({ line, endLine, operation, content }: Change): number {
  if (operation === 'insert') return content.lines;
  const gone = endLine - line + 1;
  return operation === 'delete' ? gone : Math.max(gone, content.lines);
}

/** Inserts go before the line that another edit replaces or deletes. */
function rank({ operation }: Change): number {
  return operation === 'insert' ? 0 : 1;
}

function locate(bytes: Buffer, edits: readonly ValidLineEdit[]): OldText {
  const lines = [...new Set(edits.flatMap((edit) => [edit.line, endLineOf(edit)]))];
  // For each line, the separator before it and the one that ends it.
  const wanted = [...new Set(lines.flatMap((line) => [line - 1, line]))].sort((a, b) => a - b);
  const { ends, summary } = findSeparators(bytes, wanted);
  const named = new Map<number, NamedLine>();
  for (const line of lines) {
    if (line > summary.totalLines) continue;
    const start = line === 1 ? bomLength(bytes) : (ends.get(line - 1) ?? bytes.length);
    const end = ends.get(line) ?? bytes.length;
    named.set(line, { start, end, separator: separatorBefore(bytes, end) });
  }
  return { ...summary, bytes, named };
}

function known(bytes: Buffer, summary: LineSummary): OldText {
  return { ...summary, bytes, named: new Map() };
}

function pieceOf({ text, end, lines }: NewText, separator: Separator | ''): LinePiece {
  return { source: text, isNew: true, start: 0, end, lines, endsInSource: false, separator };
}

/** @param changes sorted, none beyond the line after the last one */
function arrange(file: OldText, changes: readonly Change[], separator: Separator): LinePiece[] {
  const { bytes: source, totalLines, ended, named } = file;
  const pieces: LinePiece[] = [];
  let start = bomLength(source);
  let nextLine = 1;
  const keepBefore = (line: number, end: number): void => {
    const endsInSource = end < source.length || ended;
    if (end > start)
      pieces.push({ source, isNew: false, start, end, lines: line - nextLine, endsInSource, separator: '' });
    start = end;
    nextLine = line;
  };
  const behindLast: NamedLine = { start: source.length, end: source.length, separator: '' };
  for (const { line, endLine, operation, content } of changes) {
    const last = named.get(endLine) ?? behindLast;
    keepBefore(line, (named.get(line) ?? behindLast).start);
    if (operation !== 'delete') pieces.push(pieceOf(content, operation === 'insert' ? separator : last.separator));
    if (operation === 'insert') continue;
    start = last.end;
    nextLine = endLine + 1;
  }
  keepBefore(totalLines + 1, source.length);
  return pieces;
}

/**
 * The growth rule of spec 5.3: each insert goes before its line of the text built so far, which may be anywhere in it.
 *
 * @param inserts sorted, all beyond the line after the file's last one
 */
function insertFurtherOut(
  pieces: LinePiece[],
  inserts: readonly Change[],
  file: OldText,
  separator: Separator,
): LinePiece[] {
  const before: LinePiece[] = [];
  const behind = pieces.toReversed();
  let passed = 0;
  for (const { index, line, content } of inserts) {
    while (passed < line - 1) {
      const piece = behind.pop();
      if (piece === undefined) throw insertOutOfRange(index, line, file.totalLines, passed);
      const lines = Math.min(piece.lines, line - 1 - passed);
      if (lines === piece.lines) {
        before.push(piece);
      } else {
        const [head, rest] = splitPiece(piece, lines);
        before.push(head);
        behind.push(rest);
      }
      passed += lines;
    }
    behind.push(pieceOf(content, separator));
  }
  return [...before, ...behind.reverse()];
}

/** Put separators between the lines, and after the last one if it is new and `ends` is set. */
function endLines(pieces: readonly LinePiece[], ends: boolean, separator: Separator): void {
  for (const piece of pieces.slice(0, -1)) if (isOpen(piece)) piece.separator = separator;
  const last = pieces.at(-1);
  if (last?.isNew !== true) return;
  last.separator = ends ? last.separator || separator : '';
}

/** The old text has a byte order mark, so a new first line loses its own. */
function withoutBom(pieces: readonly LinePiece[]): readonly LinePiece[] {
  const [first, ...rest] = pieces;
  if (first?.isNew !== true) return pieces;
  const { source, start } = first;
  return [{ ...first, start: start + bomLength(source.subarray(start)) }, ...rest];
}
