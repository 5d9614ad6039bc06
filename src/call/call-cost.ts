/** What a call counts in the budget of memory while it runs (spec 6): what it may answer at most, known before it begins. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { mostMessageBytes } from '../core/thread/task.js';
import type { Budget } from './budget.js';
import { subjectOf, type ModelCall, type Operation } from '../core/operations.js';

export interface CallCost {
  readonly as: 'small' | 'large';
  readonly bytes: number;
}

/** Beside texts: the members of a result, in bytes. Answers to edits hold little else, and errors too. */
const members = 1024;
/** How many times its bytes a text may take as JSON, where each of them is a control character. */
const mostOfText = 6;
/**
 * The same for the entries of a directory, of which systems tell the size. Linux takes 12 to 28 bytes for an entry with a
 * short name, or twice the name, and a list 110 beside the name.
 */
const mostOfDirectory = 10;
/** Over MCP, both the text and the structure of a result may hold all of it. */
const mostCopies = 2;

/** The cost of an answer that is there already. */
export function costOfAnswer(bytes: number, budget: Budget): CallCost {
  return { as: budget.sizeOf(bytes), bytes };
}

/** What calls cost in one directory. */
export class CallCosts {
  private readonly ofWrite: CallCost = { as: 'small', bytes: members };

  /** @param maxBytes limit of a file */
  constructor(
    private readonly directory: string,
    private readonly maxBytes: number,
    private readonly budget: Budget,
  ) {}

  /**
   * The cost of a call with valid parameters. What a write holds is its body, which is counted already. A read costs what
   * the largest file would as long as there is room for that: to look at a file on a disk that hangs stops this thread.
   */
  of(operation: Operation, params: unknown, model: ModelCall | undefined): CallCost {
    if (operation.writes) return this.ofWrite;
    const { budget, maxBytes } = this;
    const most = this.answerTo(mostOfText * maxBytes, model);
    if (budget.hasRoom(most)) return { as: 'large', bytes: most };
    const { size, growth } = this.look(subjectOf(operation, params) ?? '');
    // What is small by itself is read at once, whatever it grows to as JSON. Nobody knows how much some lines are: they
    // count as all of the file, but need not wait with those who want all of one.
    const as = asksForLines(params) ? 'small' : budget.sizeOf(size);
    return { as, bytes: this.answerTo(growth * size, model) };
  }

  /** Even the largest leaves the reserve to small calls. */
  private answerTo(json: number, model: ModelCall | undefined): number {
    const bytes = json + members;
    const told = model === undefined ? bytes : mostCopies * Math.min(bytes, mostMessageBytes);
    return Math.min(told, this.budget.mostLarge);
  }

  /** Through links, like the read; a file that grows after this look is answered all the same. */
  private look(path: string): { readonly size: number; readonly growth: number } {
    try {
      const found = statSync(join(this.directory, path), { throwIfNoEntry: false });
      if (found?.isDirectory() === true) return { size: found.size, growth: mostOfDirectory };
      return { size: Math.min(found?.size ?? 0, this.maxBytes), growth: mostOfText };
    } catch {
      // The worker will say what is wrong with it.
      return { size: 0, growth: 0 };
    }
  }
}

/** Whether a read may want less than its file. */
function asksForLines(params: unknown): boolean {
  return typeof params === 'object' && params !== null && ('start_line' in params || 'end_line' in params);
}
