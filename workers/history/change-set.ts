/**
 * A change set in the history (spec 14 and 18). Its record holds what will be told of it, so whoever finishes the
 * changes writes the line, once.
 */
import type { BigIntStats } from 'node:fs';
import type { Notice } from '../../src/core/errors.js';
import type { ChangeRecord, Step } from '../changes/record/record.js';
import type { History } from './history.js';
import { keep } from './kept-files.js';
import type { FileEntry, NewChange, RecordedChange } from './recorded-change.js';
import { parseLine } from './recorded-change.js';
import { linesBack } from './segments.js';

/** What the record of a change set holds for the history. */
export interface SetToRecord extends Omit<NewChange, 'files'> {
  /** Names the set, and begins the names of the files kept for it. */
  readonly set: string;
  /** Each with the numbers of its steps. */
  readonly files: readonly { readonly steps: readonly number[]; readonly entry: FileEntry }[];
}

/** The name under which a step keeps the file that it replaces or removes. */
export function keptNameOf(set: string, step: number): string {
  return `${set}-${String(step)}`;
}

/**
 * Keep the file that a step is about to replace or remove.
 * @returns its stats now; undefined if nothing is kept for this step
 * @throws the system error
 */
export function keepStep(
  history: History,
  { steps, history: told }: ChangeRecord,
  step: Step,
  path: string,
  notices: Notice[],
): BigIntStats | undefined {
  if (told === undefined) return undefined;
  const name = keptNameOf(told.set, steps.indexOf(step));
  return told.files.some(({ entry }) => entry.kept === name) ? keep(history.open(notices).kept, name, path) : undefined;
}

/**
 * Write the line of a change set whose changes are made and on disk.
 * @param left the steps that were not made
 * @param isFinished whether a process may have died after it wrote the line
 * @returns undefined if nothing of it was made
 * @throws OperationError not_durable, if it cannot be written
 */
export function recordSet(
  history: History,
  { steps, history: told }: ChangeRecord,
  left: readonly Step[],
  isFinished: boolean,
  notices: Notice[],
): RecordedChange | undefined {
  if (told === undefined) return undefined;
  const skipped = new Set(left.map((step) => steps.indexOf(step)));
  const made = told.files.filter((each) => !each.steps.some((step) => skipped.has(step)));
  if (made.length === 0) return undefined;
  const known = isFinished ? lineOf(history, told.set, notices) : undefined;
  return known ?? history.append([{ ...told, files: made.map(({ entry }) => entry) }], notices)[0];
}

function lineOf(history: History, set: string, notices: Notice[]): RecordedChange | undefined {
  for (const line of linesBack(history.open(notices).directory)) {
    const change = line.bytes.includes(set) ? parseLine(line) : undefined;
    if (change?.set === set) return change;
  }
  return undefined;
}
