import { isUtf8 } from 'node:buffer';
import { OperationError, type ForModel } from '../../src/core/errors.js';
import { jsonOf } from '../../src/core/json/json-of.js';
import type { Params } from '../../src/core/operations.js';
import { Directory } from '../disk/paths/anchor.js';
import { find } from '../disk/paths/find.js';
import type { OpenFile } from '../disk/paths/open-file.js';
import { assertWhole, readAll } from '../disk/read.js';
import { readStanding } from '../disk/write/standing.js';
import type { Context, ResultOf, SuccessOf } from '../handler.js';
import { base64Json } from '../answers/base64.js';
import { exactJson } from '../answers/exact-json.js';
import { lastBoundary, type JsonBytes } from '../answers/json-answer.js';
import { exactLines } from '../text/lines/exact-lines.js';
import { summaryOf } from '../text/lines/separator-ends.js';
import { bomLength, kindsOf, type LineSummary } from '../text/separators.js';
import { textMemory } from '../text/text-memory.js';
import { assertLineLimit, hashOf } from '../text/text-file.js';
import { endOfCharacters } from '../text/utf8.js';
import { unlessCancelled } from '../progress.js';
import { inSlices } from '../turn.js';
import { readText } from './read-text.js';
import { mostOf, rangeOf } from './read.js';
import { viewDirectory } from './view-directory.js';

type FileMembers = ResultOf<'view'> & { readonly type: 'file' };

/** Read a file of any content, or lines of a text, or list a directory (spec 11). */
export function view(params: Params['view'], context: Context): SuccessOf<'view'> | Promise<SuccessOf<'view'>> {
  const { progress, workspace } = context;
  const { root } = workspace;
  const found = find(root, params.path, 'any');
  if (found instanceof Directory) {
    // What a caller may see of its contents can take a while to find out.
    return inSlices(unlessCancelled(viewNames(found, params, context), progress), root.scope !== undefined);
  }
  try {
    return isBounded(params) ? viewLines(found, params, context) : viewWhole(found, params, context);
  } finally {
    found.close();
  }
}

function isBounded(params: Params['view']): boolean {
  return params.start_line !== undefined || params.end_line !== undefined;
}

/** @param found closed at the end */
function* viewNames(
  found: Directory,
  params: Params['view'],
  context: Context,
): Generator<undefined, SuccessOf<'view'>> {
  try {
    if (isBounded(params)) throw noLines('a directory', 'list the names in it');
    return yield* viewDirectory(found, params.path, context);
  } finally {
    found.close();
  }
}

function noLines(what: string, without: string): OperationError {
  return new OperationError(
    'invalid_params',
    `Invalid params: start_line and end_line are for texts, not for ${what}`,
    {
      details: `Leave them out to ${without}.`,
    },
  );
}

function viewWhole(found: OpenFile, params: Params['view'], context: Context): SuccessOf<'view'> {
  const { maxBytes, maxLines } = context.workspace.setup;
  const { result: bytes } = readStanding(found, (stats) => {
    const read = readAll({ ...found, stats }, maxBytes);
    assertWhole(read.length, Number(stats.size));
    return read;
  });
  const isText = isUtf8(bytes);
  const summary = isText && (maxLines !== undefined || context.model !== undefined) ? summaryOf(bytes) : undefined;
  if (summary !== undefined) assertLineLimit(summary.totalLines, maxLines);
  const told = summary === undefined ? undefined : forModel(summary, bomLength(bytes) > 0);
  const hash = hashOf(bytes);
  const members: FileMembers = {
    type: 'file',
    encoding: isText ? 'utf-8' : 'base64',
    size: bytes.length,
    ...(params.return_hash === true ? { hash } : {}),
  };
  const most = mostOf(context);
  const used = bytes.length <= most ? bytes : bytes.subarray(0, isText ? lastBoundary(bytes, most) : most);
  const made = isText ? textJson(used, members, context) : base64Json(used, tailOf(members));
  // Left to the garbage collector, the file would still be in memory while the front cuts its text.
  textMemory.free([bytes]);
  return contentOf(made, members, hash, context, told);
}

function viewLines(found: OpenFile, params: Params['view'], context: Context): SuccessOf<'view'> {
  const { maxBytes, maxLines } = context.workspace.setup;
  const wanted = {
    startLine: params.start_line,
    endLine: params.end_line,
    check: ({ totalLines }: { readonly totalLines: number }) => {
      assertLineLimit(totalLines, maxLines);
    },
    most: mostOf(context),
  };
  try {
    const { result } = readText(found, maxBytes, (source, size, known) => {
      return { ...exactLines(source, wanted, known()), size };
    });
    const { bytes, size, facts } = result;
    const members: FileMembers = {
      type: 'file',
      encoding: 'utf-8',
      size,
      total_lines: facts.totalLines,
      ...rangeOf(params),
      ...(params.return_hash === true ? { hash: facts.hash } : {}),
    };
    const hasBom = (params.start_line ?? 1) === 1 && bomLength(bytes) > 0;
    const told = forModel(facts, hasBom);
    return contentOf(textJson(bytes, members, context), members, facts.hash, context, told);
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

/** The part of a text that shows the front whether it has to cut it, and where. */
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
  hash: string,
  { model }: Context,
  told: ForModel | undefined,
): SuccessOf<'view'> {
  const more = model !== undefined && told !== undefined ? { forModel: told } : {};
  return { ok: true, result: { content, ...members }, json, hash, ...more };
}

/** @param summary of the whole text. @param hasBom whether the lines that are asked for begin with a byte order mark */
function forModel({ totalLines, separators, ended }: LineSummary, hasBom: boolean): ForModel {
  return { totalLines, unseen: { lineBreaks: kindsOf(separators), hasBom, ended } };
}
