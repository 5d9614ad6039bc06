import { jsonOf } from '../../src/core/json/json-of.js';
import type { Params } from '../../src/core/operations.js';
import { openRegular } from '../disk/paths/confine.js';
import type { Context, ResultOf, SuccessOf } from '../handler.js';
import { mostMessageBytes } from '../../src/core/thread/task.js';
import type { TextFacts } from '../text/lines/scan.js';
import { isWindow, select, type WantedRange } from '../text/lines/selection.js';
import { assertLineLimit } from '../text/text-file.js';
import { readText } from './read-text.js';
import { fileNotFound } from './names-beside.js';

/** Read a text file, whole or a range of lines (spec 5.2). Checks run in the order of spec 5.5. */
export function readFile(params: Params['read_file'], context: Context): SuccessOf<'read_file'> {
  const { name } = params;
  const { root, setup } = context.workspace;
  const file = openRegular(root, name);
  if (file === null) throw fileNotFound(context, name);
  try {
    const wanted = wantedBy(params, context);
    const { result, identity } = readText(file, setup.maxBytes, (source, size, known) =>
      select(source, size, wanted, isWindow(wanted) ? known() : undefined),
    );
    const { json, content, isCut, facts } = result;
    // A truncated answer must not serve callers who want it all. A link's name does not determine its target's
    // identity.
    const mayKeep = setup.keepsReads && isCut !== true && file.place.relative === name;
    return {
      ok: true,
      result: { content, total_lines: facts.totalLines },
      json,
      hash: facts.hash,
      ...(mayKeep && identity !== undefined ? { identity } : {}),
    };
  } finally {
    file.close();
  }
}

function wantedBy(params: Params['read_file'], context: Context): WantedRange {
  return {
    startLine: params.start_line,
    endLine: params.end_line,
    check: ({ totalLines }) => {
      assertLineLimit(totalLines, context.workspace.setup.maxLines);
    },
    // Begins with the quote that ends the content.
    tail: (facts) => `",${jsonOf(membersOf(params, facts)).slice(1)}`,
    most: mostOf(context),
  };
}

/** Limit of the text that an answer can use, in bytes of JSON: the front end truncates the rest. */
export function mostOf({ model }: Pick<Context, 'model'>): number {
  return model !== undefined ? mostMessageBytes : Infinity;
}

/** The members of the result that follow the content. */
function membersOf(params: Params['read_file'], { totalLines, hash }: TextFacts): ResultOf<'read_file'> {
  return {
    total_lines: totalLines,
    ...rangeOf(params),
    ...(params.return_hash === true ? { hash } : {}),
  };
}

/** The bounds in the call, as results echo them; empty if there were none. */
export function rangeOf({ start_line, end_line }: Pick<Params['read_file'], 'start_line' | 'end_line'>): {
  readonly range_requested?: { readonly start_line?: number; readonly end_line?: number };
} {
  if (start_line === undefined && end_line === undefined) return {};
  return {
    range_requested: {
      ...(start_line === undefined ? {} : { start_line }),
      ...(end_line === undefined ? {} : { end_line }),
    },
  };
}
