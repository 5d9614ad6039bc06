import { isUtf8 } from 'node:buffer';
import { OperationError, type ForModel } from '../../src/core/errors.js';
import { jsonOf } from '../../src/core/json/json-of.js';
import type { Params } from '../../src/core/operations.js';
import type { OpenFile } from '../disk/paths/open-file.js';
import { assertWhole, readAll } from '../disk/read.js';
import { readStanding } from '../disk/write/standing.js';
import type { Context, ResultOf, SuccessOf } from '../handler.js';
import { base64Json } from '../answers/base64.js';
import { exactJson } from '../answers/exact-json.js';
import { lastBoundary, type JsonBytes } from '../answers/json-answer.js';
import { sourceOf } from '../text/chunks.js';
import { exactLines } from '../text/lines/exact-lines.js';
import { summaryOf } from '../text/lines/separator-ends.js';
import { bomLength, kindsOf, type LineSummary } from '../text/separators.js';
import { textMemory } from '../text/text-memory.js';
import { assertLineLimit, hashOf } from '../text/text-file.js';
import { endOfCharacters } from '../text/utf8.js';
import { readText } from './read-text.js';
import { mostOf, rangeOf } from './read.js';

type FileMembers = ResultOf<'view'> & { readonly type: 'file' };

/** The parameters that concern one file. */
type Wanted = Pick<Params['view'], 'start_line' | 'end_line' | 'return_hash'>;

/** A view of a file. */
export interface ViewedFile extends SuccessOf<'view'> {
  readonly json: Uint8Array;
  /** Number of bytes of the file in it. */
  readonly bytes: number;
}

/** An open file, or the bytes that it once had. */
type Viewed = OpenFile | Buffer;

/** Read a file of any content, or lines of a text (spec 11). @param isAlone whether it is the only file of the call */
export function viewFile(found: Viewed, wanted: Wanted, context: Context, isAlone: boolean): ViewedFile {
  return isBounded(wanted) ? viewLines(found, wanted, context) : viewWhole(found, wanted, context, isAlone);
}

/** Whether the call asks for a range of lines. */
export function isBounded({ start_line, end_line }: Wanted): boolean {
  return start_line !== undefined || end_line !== undefined;
}

/** The error for a range of lines of something without lines. */
export function noLines(what: string, without: string): OperationError {
  return new OperationError(
    'invalid_params',
    `Invalid params: start_line and end_line are for texts, not for ${what}`,
    {
      details: `Leave them out to ${without}.`,
    },
  );
}

function bytesOf(found: OpenFile, maxBytes: number): Buffer {
  const { result } = readStanding(found, (stats) => {
    const read = readAll({ ...found, stats }, maxBytes);
    assertWhole(read.length, Number(stats.size));
    return read;
  });
  return result;
}

function viewWhole(found: Viewed, wanted: Wanted, context: Context, isAlone: boolean): ViewedFile {
  const { maxBytes, maxLines } = context.workspace.setup;
  const bytes = Buffer.isBuffer(found) ? found : bytesOf(found, maxBytes);
  const isText = isUtf8(bytes);
  const summary = isText && (maxLines !== undefined || context.model !== undefined) ? summaryOf(bytes) : undefined;
  if (summary !== undefined) assertLineLimit(summary.totalLines, maxLines);
  const told = summary === undefined ? undefined : forModel(summary, bomLength(bytes) > 0);
  const hash = isAlone || wanted.return_hash === true ? hashOf(bytes) : undefined;
  const members: FileMembers = {
    type: 'file',
    encoding: isText ? 'utf-8' : 'base64',
    size: bytes.length,
    ...(wanted.return_hash === true && hash !== undefined ? { hash } : {}),
  };
  const most = isText || isAlone ? mostOf(context) : mostOfBytes(context);
  const end = isText ? lastBoundary(bytes, most) : isAlone ? most : 0;
  const used = bytes.length <= most ? bytes : bytes.subarray(0, end);
  const { length: given } = used;
  const made = isText ? textJson(used, members, context) : base64Json(used, tailOf(members));
  // If left to the garbage collector, the file would stay in memory while the front end truncates its text.
  if (bytes !== found) textMemory.free([bytes]);
  return { ...contentOf(made, members, hash, context, told), bytes: given };
}

/** Limit for binary content among several files: a model gets at most a page of it. */
function mostOfBytes(context: Context): number {
  const { maxChars = 0 } = context.model ?? {};
  return maxChars === 0 ? mostOf(context) : maxChars;
}

function viewLines(found: Viewed, asked: Wanted, context: Context): ViewedFile {
  const { maxBytes, maxLines } = context.workspace.setup;
  const wanted = {
    startLine: asked.start_line,
    endLine: asked.end_line,
    check: ({ totalLines }: { readonly totalLines: number }) => {
      assertLineLimit(totalLines, maxLines);
    },
    most: mostOf(context),
  };
  try {
    const { bytes, size, facts } = Buffer.isBuffer(found)
      ? { ...exactLines(sourceOf(found), wanted), size: found.length }
      : readText(found, maxBytes, (source, length, known) => {
          return { ...exactLines(source, wanted, known()), size: length };
        }).result;
    const members: FileMembers = {
      type: 'file',
      encoding: 'utf-8',
      size,
      total_lines: facts.totalLines,
      ...rangeOf(asked),
      ...(asked.return_hash === true ? { hash: facts.hash } : {}),
    };
    const hasBom = (asked.start_line ?? 1) === 1 && bomLength(bytes) > 0;
    const told = forModel(facts, hasBom);
    const made = textJson(bytes, members, context);
    return { ...contentOf(made, members, facts.hash, context, told), bytes: bytes.length };
  } catch (error) {
    if (error instanceof OperationError && error.kind === 'not_utf8') {
      throw noLines('bytes that are not UTF-8', 'get all of them in base64');
    }
    throw error;
  }
}

/** The whole result in one buffer with its own memory, ready to be transferred to another thread. */
function textJson(text: Buffer, members: FileMembers, context: Context): JsonBytes {
  return exactJson(ofUse(text, context), tailOf(members));
}

/** The prefix from which the front end decides whether, and where, to truncate. */
function ofUse(text: Buffer, { model }: Context): Buffer {
  const maxChars = model?.maxChars ?? 0;
  return maxChars === 0 ? text : text.subarray(0, endOfCharacters(text, maxChars + 1));
}

/** The rest of the JSON after the content. */
function tailOf(members: FileMembers): string {
  return `",${jsonOf(members).slice(1)}`;
}

function contentOf(
  { json, content }: JsonBytes,
  members: FileMembers,
  hash: string | undefined,
  { model }: Context,
  told: ForModel | undefined,
): Omit<ViewedFile, 'bytes'> {
  const more = model !== undefined && told !== undefined ? { forModel: told } : {};
  return { ok: true, result: { content, ...members }, json, ...(hash === undefined ? {} : { hash }), ...more };
}

/** @param summary of the whole text @param hasBom whether the returned lines begin with a byte order mark */
function forModel({ totalLines, separators, ended }: LineSummary, hasBom: boolean): ForModel {
  return { totalLines, unseen: { lineBreaks: kindsOf(separators), hasBom, ended } };
}
