/** The engine of apply_edits (contract 11): text and edits in, text and report out. Nothing here touches a disk. */
import { OperationError, type ErrorKindName } from '../../../src/errors.js';
import type { TextEdit } from '../../../src/operations.js';
import { explainMiss } from '../miss/miss.js';
import { headOf, sampleOf } from '../search/anchor.js';
import { fold } from '../search/case-folding.js';
import { lineNumbers } from '../search/line-numbers.js';
import { findMatches } from '../search/matches.js';
import { Rope } from '../search/rope.js';
import { Sieve, type Needle } from '../search/sieve.js';
import { Spans } from '../search/spans.js';
import { LF } from '../separators.js';
import { explainMany } from './several-matches.js';

/** What one edit did. */
export interface Replaced {
  /** Counted from 1. */
  readonly edit: number;
  readonly count: number;
  /** The line of each replacement, in the text as this edit found it. */
  readonly lines: Uint32Array<ArrayBuffer>;
}

export interface ReplacedText {
  /** The old bytes themselves if nothing changes. */
  readonly bytes: Buffer;
  readonly editsApplied: number;
  readonly totalReplacements: number;
  readonly replacements: readonly Replaced[];
  /** The differences between the old and the new text, in order, for unified-diff.ts. */
  readonly changes: readonly ChangedSpan[];
}

/** A span of the old text and the one that takes its place, in bytes. */
export interface ChangedSpan {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** How far edits may go. */
export interface Limits {
  /** Called before each edit. If it throws, the work ends: 1000 edits of a large file can take minutes. */
  readonly beforeEach?: () => void;
  /** Called before the last edit makes the new text, with its length in bytes. If it throws, the work ends. */
  readonly beforeResult?: (bytes: number) => void;
  /** Called once all is found, before the last edit makes the new text. If it throws, the work ends. */
  readonly beforeText?: (replacements: readonly Replaced[]) => void;
  /** How long an edit may make the text for the next one, in bytes: 2 kB of edits made 1 GB of a text of 1 MB. */
  readonly mostBytes?: number;
  /** Of all edits together: each replacement has its line number in the report. */
  readonly mostReplacements?: number;
}

/** A sieve costs as much as this many searches. */
const fewestSieved = 16;
const smallestSieved = 65_536;

/**
 * Apply edits one after the other, each to the text that those before it have left: all or none of them.
 *
 * 1000 edits of 1 MB take 50 ms, 10 take 3. Held are the old text, the new one and what has changed; while an edit that
 * replaces much follows another one that did, also the text in between.
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
  { beforeEach, beforeResult, beforeText, mostBytes = Infinity, mostReplacements = Infinity }: Limits = {},
): ReplacedText {
  const needles = edits.map(needleOf);
  const sieved = edits.length >= fewestSieved && old.length >= smallestSieved;
  const sieve = sieved ? new Sieve(needles, old) : undefined;
  const rope = new Rope(old, sieve);
  const sample = sieved ? undefined : sampleOf(old);
  const find = (edit: TextEdit, index: number, fail: Fail): Spans => {
    const { old_string, new_string, replace_all = replaceAll } = edit;
    const needle = needles[index] ?? needleOf(edit);
    const anchor = (needle.folded ? undefined : sample?.anchorOf(needle.bytes)) ?? headOf(needle.bytes);
    const isNoOp = old_string === new_string;
    // A no-op only has to know that there is a match: finding all of them took 2 s for each such edit of 20 MB.
    const wanted = { overlapping: !replace_all, most: isNoOp && replace_all ? 1 : Infinity };
    const matches = findMatches(rope, needle, anchor, wanted, sieve && { sieve, number: index });
    if (matches.length === 0) {
      throw fail('string_not_found', explainMiss({ rope, old, edit: { ...edit, replace_all }, needle }));
    }
    if (matches.length > 1 && !replace_all) throw fail('string_not_unique', explainMany(rope, matches));
    return isNoOp ? new Spans() : matches;
  };
  const replacements: Replaced[] = [];
  let totalReplacements = 0;
  for (const [index, edit] of edits.entries()) {
    beforeEach?.();
    const fail: Fail = (kind, message) => failed(kind, message, index, edits.length);
    assertNotEmpty(edit, fail);
    const spans = find(edit, index, fail);
    try {
      totalReplacements += spans.length;
      if (totalReplacements > mostReplacements) {
        throw fail(
          'too_large',
          `It makes ${totalReplacements} replacements in all, whose line numbers are more than an answer holds: at most ${mostReplacements}. Send a longer old_string, or fewer edits in one request.`,
        );
      }
      const text = Buffer.from(edit.new_string);
      const length = rope.lengthAfter(spans, text.length);
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
      if (spans.length > 0) rope.replace(spans, text, index + 1);
    } finally {
      spans.free();
    }
  }
  const report = { editsApplied: edits.length, totalReplacements, replacements };
  const bytes = rope.toBuffer();
  if (totalReplacements === 0 || bytes.equals(old)) return { ...report, bytes: old, changes: [] };
  return { ...report, bytes, changes: changedSpans(rope, old) };
}

/** Makes the error of an edit. */
type Fail = (kind: ErrorKindName, message: string) => OperationError;

function needleOf({ old_string, case_insensitive = false }: TextEdit): Needle {
  const bytes = Buffer.from(old_string);
  return { bytes: case_insensitive ? fold(bytes).bytes : bytes, folded: case_insensitive };
}

function assertNotEmpty({ old_string }: TextEdit, fail: Fail): void {
  if (old_string !== '') return;
  throw fail(
    'invalid_params',
    'old_string is empty, so there is nothing to look for. To insert text, send as old_string the text beside which it belongs, and as new_string both of them.',
  );
}

function failed(kind: ErrorKindName, message: string, index: number, count: number): OperationError {
  const others = count === 1 ? 'it' : 'all edits';
  return new OperationError(kind, `Edit ${index + 1} of ${count} failed: ${message}`, {
    details: `Nothing was written. Correct /edits/${index} as the message says and send ${others} again.`,
  });
}

/** Changed pieces that touch each other are one span, unless both texts are at the end of a line there. */
function changedSpans({ pieces }: Rope, old: Buffer): ChangedSpan[] {
  const spans: ChangedSpan[] = [];
  let at = 0;
  let open: ChangedSpan | undefined;
  for (const { source, start, end, oldStart, oldEnd, edit } of pieces) {
    const newStart = at;
    at += end - start;
    if (edit !== 0) {
      open = { oldStart: open?.oldStart ?? oldStart, oldEnd, newStart: open?.newStart ?? newStart, newEnd: at };
    }
    const aligned =
      edit === 0 || (end > start && source[end - 1] === LF && oldEnd > oldStart && old[oldEnd - 1] === LF);
    if (open === undefined || !aligned) continue;
    spans.push(open);
    open = undefined;
  }
  if (open !== undefined) spans.push(open);
  return spans;
}
