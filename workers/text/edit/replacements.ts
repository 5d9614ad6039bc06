/** The engine of apply_edits (spec 11): text and edits in, text and report out, without any I/O. */
import type { Results, TextEdit } from '../../../src/core/operations.js';
import { firstSeparator, mayMix } from './mixed-endings.js';
import { leastScattered, unlessSame, wholeOf, type Text } from '../scattered-text.js';
import { enoughLines } from '../place.js';
import { visitLines } from '../find/line-numbers.js';
import type { Matches } from '../find/matches.js';
import { noReplacement, type Replacement } from '../rope/part-cursor.js';
import type { Rope } from '../rope/rope.js';
import { EditedText } from './edited-text.js';
import { failing, Finder } from './finder.js';

/** The effect of each edit, as reported in a result. */
export type EditReports = Results['apply_edits']['replacements'];

/** Most line numbers per edit in a result. */
const mostListed = 1_000;

export interface ReplacedText {
  /** The old bytes themselves if nothing changes. */
  readonly text: Text;
  /** Indexes of the edits that were passed over. */
  readonly missing: ReadonlySet<number>;
  readonly editsApplied: number;
  readonly totalReplacements: number;
  readonly replacements: EditReports;
  /** Their places, for `placesOfEdits`: the first different lines of each edit. */
  readonly firstLines: ReadonlySet<number>;
  /**
   * The new text with its changes, for unified-diff.ts; undefined if there are none. For a large text it is `text`
   * itself; otherwise release it.
   */
  readonly edited: EditedText | undefined;
  /** Whether the `\n` of an edit were taken as the `\r\n` of the text. */
  readonly tookCrlf: boolean;
  /** Whether a text with one kind of separator may have several after the edits. */
  readonly mayMix: boolean;
}

/** The limits of edits, and how to read them. */
export interface EditLimits {
  /** Whether the `\n` of a text that is not found may be taken as `\r\n` (spec 15); false if absent. */
  readonly mayTakeCrlf?: boolean;
  /** Whether an edit is passed over if its text is not found (spec 17); false if absent. */
  readonly passesOver?: boolean;
  /** Called before each edit. If it throws, the work stops: 1000 edits of a large file can take minutes. */
  readonly beforeEach?: () => void;
  /** Called with the new text's length in bytes before it is assembled. If it throws, the work stops. */
  readonly beforeResult?: (bytes: number) => void;
  /** Longest intermediate text in bytes: 2 kB of edits turned a text of 1 MB into 1 GB. */
  readonly mostBytes?: number;
}

/**
 * Apply edits in order, each to the text left by those before it: all or none.
 *
 * 1000 edits of 1 MB take 50 ms, 10 take 3. Memory holds the old text and its changes; after an edit that replaces in
 * many places, also its result, if another edit follows.
 *
 * @param old the whole text, valid UTF-8
 * @param edits 1 to 1000
 * @param replaceAll for edits that do not set it themselves
 * @throws OperationError for the first edit that cannot be applied: `string_not_found`, `string_not_unique`,
 *   `invalid_encoding` for text that is not well-formed Unicode, `invalid_params` for an empty old_string, `too_large`
 *   for an intermediate text that is too long; and what the limits throw
 */
export function applyReplacements(
  old: Buffer,
  edits: readonly TextEdit[],
  replaceAll = false,
  limits: EditLimits = {},
): ReplacedText {
  const { beforeEach, beforeResult, mostBytes = Infinity } = limits;
  const finder = new Finder(old, edits, replaceAll, limits);
  const separator = firstSeparator(old);
  const { rope } = finder;
  const replacements: EditReports[number][] = [];
  const firstLines = new Set<number>();
  const missing = new Set<number>();
  let totalReplacements = 0;
  let tookCrlf = false;
  let mixes = false;
  let last: Replacement = noReplacement;
  try {
    for (const [index, edit] of edits.entries()) {
      beforeEach?.();
      if (last.matches.length > 0) rope.replace(last);
      last.matches.free();
      const fail = failing(index, edits.length);
      const { matches, text, wanted, line, ...found } = finder.find(edit, index, fail);
      last = { matches, text, edit: index + 1 };
      if (found.isMissing === true) missing.add(index);
      tookCrlf ||= found.tookCrlf;
      mixes ||= separator !== undefined && matches.length > 0 && mayMix(separator, wanted, text);
      totalReplacements += matches.length;
      const { lines, different } = linesOf(rope, matches, line);
      replacements.push({ edit: index + 1, count: matches.length, lines });
      for (const line of different) firstLines.add(line);
      const length = rope.lengthAfter(matches, last.text.length);
      if (index === edits.length - 1) beforeResult?.(length);
      else if (length > mostBytes) {
        throw fail(
          'too_large',
          `It makes the text ${length} bytes long, at most ${mostBytes} are accepted between two edits. Send edits that do not make more than is kept.`,
        );
      }
    }
  } catch (error) {
    last.matches.free();
    rope.release();
    throw error;
  }
  const editsApplied = edits.length - missing.size;
  const report = { missing, editsApplied, totalReplacements, replacements, firstLines, tookCrlf, mayMix: mixes };
  const edited = new EditedText(old, rope, last);
  const isLarge = edited.length >= leastScattered;
  const text = totalReplacements === 0 ? old : unlessSame(old, isLarge ? edited : wholeOf(edited));
  if (text !== old) return { ...report, text, edited };
  edited.release();
  return { ...report, text, edited: undefined };
}

/**
 * The lines of an edit's matches: the first ones, and the first different ones.
 * @param only the line of its only match, if that is known
 */
function linesOf(
  rope: Rope,
  matches: Matches,
  only: number | undefined,
): { readonly lines: number[]; readonly different: ReadonlySet<number> } {
  if (only !== undefined && matches.length > 0) return { lines: [only], different: new Set([only]) };
  const lines: number[] = [];
  const different = new Set<number>();
  visitLines(rope.pieces, matches.starts, (line) => {
    if (lines.length < mostListed) lines.push(line);
    if (different.size < enoughLines) different.add(line);
    return lines.length < mostListed || different.size < enoughLines;
  });
  return { lines, different };
}
