import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperationError } from '../../../src/core/errors.js';
import type { LineEdit } from '../../../src/core/operations.js';
import { applyLineEdits } from '../../../workers/text/edit/line-edits.js';
import { countLines } from '../../../workers/text/lines/lines.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';

/** The vocabulary of the line edit specifications. */
export const BOM = '\uFEFF';
export const replace = (line: number, content: string): LineEdit => ({ line, operation: 'replace', content });
export const insert = (line: number, content: string): LineEdit => ({ line, operation: 'insert', content });
export const remove = (line: number): LineEdit => ({ line, operation: 'delete' });
export const upTo = (end_line: number, edit: LineEdit): LineEdit => ({ ...edit, end_line });

export function edited(old: string, edits: readonly LineEdit[], append?: string): string {
  const { text, totalLines } = applyLineEdits(Buffer.from(old), edits, append);
  assert.equal(totalLines, countLines(text));
  return wholeOf(text).toString();
}

/** The expected error of a call. */
export function refusal(run: () => unknown): OperationError {
  try {
    run();
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'nothing was refused' });
}

export function refused(old: string, edits: readonly LineEdit[], append?: string): OperationError {
  return refusal(() => applyLineEdits(Buffer.from(old), edits, append));
}

/** Title, file, edits, resulting file, appended text. */
type Row = readonly [name: string, old: string, edits: readonly LineEdit[], after: string, append?: string];

export function specify(rows: readonly Row[]): void {
  for (const [name, old, edits, after, append] of rows) {
    test(name, () => assert.equal(JSON.stringify(edited(old, edits, append)), JSON.stringify(after)));
  }
}
