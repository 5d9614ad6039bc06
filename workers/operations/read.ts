import { identityOf } from '../../src/file-identity.js';
import { jsonOf } from '../../src/json/json-of.js';
import type { Params } from '../../src/operations.js';
import { openRegular } from '../disk/confine.js';
import { fileSource, tooLarge } from '../disk/read.js';
import { readStanding } from '../disk/standing.js';
import type { Context, ResultOf, SuccessOf } from '../handler.js';
import { assertFits, assertRoomFor } from '../room.js';
import type { TextFacts } from '../text/lines/scan.js';
import { isOneChunk, isWindow, select, type Wanted } from '../text/lines/selection.js';
import { assertLineLimit } from '../text/text-file.js';
import { fileNotFound } from './names-beside.js';
import { KnownTexts } from './known-texts.js';

/** Room for a few thousand files, or for a few hundred of 100 MB. */
const knownTexts = new KnownTexts(4_194_304);

/** Read a text file, whole or a range of lines (contract 5.2). The checks come in the order of contract 5.5. */
export function readFile(params: Params['read_file'], context: Context): SuccessOf<'read_file'> {
  const { name } = params;
  const { root, setup } = context.workspace;
  const file = openRegular(root, name);
  if (file === null) throw fileNotFound(context, name);
  try {
    const wanted = wantedBy(params, context);
    const standing = readStanding(file, (stats) => {
      const size = Number(stats.size);
      if (size > setup.maxBytes) throw tooLarge(size, setup.maxBytes);
      if (!isWindow(wanted)) assertRoomFor(context, size);
      const known = isWindow(wanted) ? knownTexts.find(stats) : undefined;
      return select(fileSource(file.fd, size, setup.maxBytes), size, wanted, known);
    });
    const { json, content, facts } = standing.result;
    const identity = standing.stood && !standing.doubtful ? identityOf(standing.stats) : undefined;
    if (identity !== undefined && !isOneChunk(facts)) knownTexts.keep(identity, facts);
    return {
      ok: true,
      result: { content, total_lines: facts.totalLines },
      json,
      hash: facts.hash,
      // If the name is a link, it says nothing about the file behind it.
      ...(setup.keepsReads && identity !== undefined && file.place.relative === name ? { identity } : {}),
    };
  } finally {
    file.close();
  }
}

function wantedBy(params: Params['read_file'], context: Context): Wanted {
  return {
    startLine: params.start_line,
    endLine: params.end_line,
    check: ({ totalLines }) => {
      assertLineLimit(totalLines, context.workspace.setup.maxLines);
    },
    // Begins with the quote that ends the content.
    tail: (facts) => `",${jsonOf(membersOf(params, facts)).slice(1)}`,
    assertFits: (bytes) => {
      assertFits(context, bytes);
    },
  };
}

/** The members of the result that come after the content. */
function membersOf(
  { start_line, end_line, return_hash }: Params['read_file'],
  { totalLines, hash }: TextFacts,
): ResultOf<'read_file'> {
  const range = {
    ...(start_line === undefined ? {} : { start_line }),
    ...(end_line === undefined ? {} : { end_line }),
  };
  return {
    total_lines: totalLines,
    ...(start_line === undefined && end_line === undefined ? {} : { range_requested: range }),
    ...(return_hash === true ? { hash } : {}),
  };
}
