/** The engine of apply_edits (spec 11): text and edits in, text and report out. Nothing here touches a disk. */
import type { TextEdit } from '../../../src/operations.js';
import { firstSeparator, mayMix } from '../lines/mixed-endings.js';
import { leastScattered, unlessSame, wholeOf, type Text } from '../scattered-text.js';
import type { AscendingNumbers } from '../search/ascending-numbers.js';
import { lineNumbers } from '../search/line-numbers.js';
import type { Replacement } from '../search/parts.js';
import { Spans } from '../search/spans.js';
import { failing } from './edit-failed.js';
import { EditedText } from './edited-text.js';
import { Finder } from './finder.js';

/** What one edit did. */
export interface Replaced {
  /** Counted from 1. */
  readonly edit: number;
  readonly count: number;
  /** The line of each replacement, in the text as this edit found it. */
  readonly lines: AscendingNumbers;
}

export interface ReplacedText {
  /** The old bytes themselves if nothing changes. */
  readonly text: Text;
  readonly editsApplied: number;
  readonly totalReplacements: number;
  readonly replacements: readonly Replaced[];
  /**
   * The new text with what has changed, for unified-diff.ts; undefined if nothing has. It is the text itself if that is
   * large; to be released otherwise.
   */
  readonly edited: EditedText | undefined;
  /** Whether the `\n` of an edit were taken for the `\r\n` of the text. */
  readonly tookCrlf: boolean;
  /** Whether a text with one kind of separator may have several after the edits. */
  readonly mayMix: boolean;
}

/** How far edits may go, and how they are read. */
export interface Limits {
  /** Whether the `\n` of a text that is not found may be taken for `\r\n` (spec 15); false if absent. */
  readonly mayTakeCrlf?: boolean;
  /** Called before each edit. If it throws, the work ends: 1000 edits of a large file can take minutes. */
  readonly beforeEach?: () => void;
  /** Called before the new text is put together, with its length in bytes. If it throws, the work ends. */
  readonly beforeResult?: (bytes: number) => void;
  /** Called once all is found, before the new text is put together. If it throws, the work ends. */
  readonly beforeText?: (replacements: readonly Replaced[]) => void;
  /** How long an edit may make the text for the next one, in bytes: 2 kB of edits made 1 GB of a text of 1 MB. */
  readonly mostBytes?: number;
  /** Of all edits together: each replacement has its line number in the report. */
  readonly mostReplacements?: number;
}

/**
 * Apply edits one after the other, each to the text that those before it have left: all or none of them.
 *
 * 1000 edits of 1 MB take 50 ms, 10 take 3. Held are the old text and what has changed in it; where an edit follows one
 * that replaces in many places, also the text that this one has left.
 *
 * @param old the whole text, valid UTF-8
 * @param edits 1 to 1000
 * @param replaceAll for edits that do not set it themselves
 * @throws OperationError for the first edit that cannot be applied: `string_not_found`, `string_not_unique`,
 *   `invalid_encoding` for text that is not well-formed Unicode, `invalid_params` for an empty old_string, `too_large`
 *   for one replacement too many, or a text between two edits that is too long; and what the limits throw
 */
export function applyReplacements(
  old: Buffer,
  edits: readonly TextEdit[],
  replaceAll = false,
  limits: Limits = {},
): ReplacedText {
  const { beforeEach, beforeResult, beforeText, mostBytes = Infinity, mostReplacements = Infinity } = limits;
  const finder = new Finder(old, edits, replaceAll, limits.mayTakeCrlf === true);
  const separator = firstSeparator(old);
  const { rope } = finder;
  const replacements: Replaced[] = [];
  let totalReplacements = 0;
  let tookCrlf = false;
  let mixes = false;
  let last: Replacement = { spans: new Spans(), text: Buffer.alloc(0), edit: 0 };
  try {
    for (const [index, edit] of edits.entries()) {
      beforeEach?.();
      if (last.spans.length > 0) rope.replace(last);
      last.spans.free();
      const fail = failing(index, edits.length);
      const { spans, text, wanted, ...found } = finder.find(edit, index, fail);
      last = { spans, text, edit: index + 1 };
      tookCrlf ||= found.tookCrlf;
      mixes ||= separator !== undefined && spans.length > 0 && mayMix(separator, wanted, text);
      totalReplacements += spans.length;
      if (totalReplacements > mostReplacements) {
        throw fail(
          'too_large',
          `It makes ${totalReplacements} replacements in all, whose line numbers are more than an answer holds: at most ${mostReplacements}. Send a longer old_string, or fewer edits in one request.`,
        );
      }
      const length = rope.lengthAfter(spans, last.text.length);
      const isLast = index === edits.length - 1;
      if (isLast) beforeResult?.(length);
      else if (length > mostBytes) {
        throw fail(
          'too_large',
          `It makes the text ${length} bytes long, at most ${mostBytes} are accepted between two edits. Send edits that do not make more than is kept.`,
        );
      }
      replacements.push({ edit: index + 1, count: spans.length, lines: lineNumbers(rope.pieces, spans.starts) });
      if (isLast) beforeText?.(replacements);
    }
  } catch (error) {
    last.spans.free();
    rope.release();
    throw error;
  }
  const report = { editsApplied: edits.length, totalReplacements, replacements, tookCrlf, mayMix: mixes };
  const edited = new EditedText(old, rope, last);
  const isLarge = edited.length >= leastScattered;
  const text = totalReplacements === 0 ? old : unlessSame(old, isLarge ? edited : wholeOf(edited));
  if (text !== old) return { ...report, text, edited };
  edited.release();
  return { ...report, text, edited: undefined };
}
