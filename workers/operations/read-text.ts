/** Reads a text for `read_file` and `view`, up to the size limit of a file (spec 6). */
import { identityOf, type FileIdentity } from '../../src/core/file-identity.js';
import type { OpenFile } from '../disk/paths/open-file.js';
import { fileSource, tooLarge } from '../disk/read.js';
import { readStanding } from '../disk/write/standing.js';
import type { Source } from '../text/chunks.js';
import type { TextFacts } from '../text/lines/scan.js';
import { isOneChunk } from '../text/lines/selection.js';
import { knownTexts } from './known-texts.js';

/** The result of reading a text. */
interface ReadText<Result> {
  readonly result: Result;
  /** Identity of the version that was read, if it can prove that a file is unchanged. */
  readonly identity: FileIdentity | undefined;
}

/**
 * Read an open text as one version, and cache the facts learned about it.
 * @param read receives the text, its size, and a function that returns the known facts about it
 * @throws OperationError too_large, and what `read` throws
 */
export function readText<Result extends { readonly facts: TextFacts }>(
  file: OpenFile,
  maxBytes: number,
  read: (source: Source, size: number, known: () => TextFacts | undefined) => Result,
): ReadText<Result> {
  const { result, stats, stood, doubtful } = readStanding(file, (seen) => {
    const size = Number(seen.size);
    if (size > maxBytes) throw tooLarge(size, maxBytes);
    return read(fileSource(file.fd, size, maxBytes), size, () => knownTexts.find(seen));
  });
  const identity = stood && !doubtful ? identityOf(stats) : undefined;
  if (identity !== undefined && !isOneChunk(result.facts)) knownTexts.keep(identity, result.facts);
  return { result, identity };
}
