/**
 * The memory that a running call counts for in the budget (spec 6): the largest answer it can give, known before it
 * starts.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { mostMessageBytes } from '../core/thread/task.js';
import type { Budget } from './budget.js';
import { mayName } from '../access/permission.js';
import { checkPath } from '../core/names/path.js';
import { filenameOf, pathsOf, subjectOf, type ModelCall, type Operation } from '../core/operations.js';
import type { CallContext } from './call.js';

export interface CallCost {
  readonly as: 'small' | 'large';
  readonly bytes: number;
}

/** Bytes of a result besides texts. Answers to edits, and errors, hold little else. */
const members = 1024;
/** Worst-case growth when a text is encoded as JSON: all control characters. */
const mostOfText = 6;
/**
 * The same for a directory listing, relative to the size that stat reports. Linux takes 12 to 28 bytes for an entry
 * with a short name, otherwise twice the name; a listing takes the name plus 110 bytes.
 */
const mostOfDirectory = 10;
/** How many of the largest files an answer about several holds at most (spec 17). */
const mostFilesRead = 4;
/** Over MCP, the text and the structured content of a result may each hold all of it. */
const mostCopies = 2;

/** The cost of an answer that already exists. */
export function costOfAnswer(bytes: number, budget: Budget): CallCost {
  return { as: budget.sizeOf(bytes), bytes };
}

/** Estimates the cost of calls in one directory. */
export class CallCosts {
  private readonly small: CallCost = { as: 'small', bytes: members };

  /** @param maxBytes limit of a file */
  constructor(
    private readonly directory: string,
    private readonly maxBytes: number,
    private readonly budget: Budget,
  ) {}

  /**
   * The cost of a call with valid parameters. A write holds only its body, which is counted already. A read is charged
   * for the largest possible file while there is room for that, to save a stat: on a disk that hangs, the stat would
   * block this thread. So is one of a path that leads outside or that the caller may not use: the time of a stat would
   * tell what exists there.
   */
  of(operation: Operation, params: unknown, { model, caller }: Pick<CallContext, 'model' | 'caller'>): CallCost {
    // While a call waits, its memory is held.
    if (operation.writes || operation.waits !== undefined) return this.small;
    const { budget, maxBytes } = this;
    const paths = filenameOf(operation, params) === undefined ? pathsOf(operation, params) : [];
    const mostRead = Math.min(Math.max(paths.length, 1), mostFilesRead) * maxBytes;
    const most = this.answerTo(mostOfText * mostRead, model);
    const mayLook = (): boolean =>
      paths.every((path) => checkPath('path', path) === null) && mayName(operation, params, caller);
    if (budget.hasRoom(most) || !mayLook()) return { as: 'large', bytes: most };
    if (paths.length > 1) {
      const size = paths.reduce((sum, path) => sum + this.look(path).size, 0);
      return { as: budget.sizeOf(size), bytes: this.answerTo(mostOfText * Math.min(size, mostRead), model) };
    }
    const { size, growth } = this.look(subjectOf(operation, params) ?? '');
    // A small file starts as a small call, whatever its size as JSON. A range of lines is of unknown size: it is
    // charged for the whole file but need not queue behind reads of whole files.
    const as = asksForLines(params) ? 'small' : budget.sizeOf(size);
    return { as, bytes: this.answerTo(growth * size, model) };
  }

  /** Capped, so that even the largest call leaves the reserve to small ones. */
  private answerTo(json: number, model: ModelCall | undefined): number {
    const bytes = json + members;
    const told = model === undefined ? bytes : mostCopies * Math.min(bytes, mostMessageBytes);
    return Math.min(told, this.budget.mostLarge);
  }

  /** Follows links, like the read. A file that grows after this stat is still answered. */
  private look(path: string): { readonly size: number; readonly growth: number } {
    try {
      const found = statSync(join(this.directory, path), { throwIfNoEntry: false });
      if (found?.isDirectory() === true) return { size: found.size, growth: mostOfDirectory };
      return { size: Math.min(found?.size ?? 0, this.maxBytes), growth: mostOfText };
    } catch {
      // The worker will report the error.
      return { size: 0, growth: 0 };
    }
  }
}

/** Whether a read may cover less than the whole file. */
function asksForLines(params: unknown): boolean {
  return typeof params === 'object' && params !== null && ('start_line' in params || 'end_line' in params);
}
