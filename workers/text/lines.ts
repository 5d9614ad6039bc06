import { OperationError } from '../../src/errors.js';
import { LineScanner } from './line-scanner.js';
import { bomLength, CR, LF } from './separators.js';

/** Number of lines of a text in valid UTF-8 (contract 4): a final separator starts none, a byte order mark is none. */
export function countLines(bytes: Buffer): number {
  return new LineScanner(bytes, bomLength(bytes)).finish();
}

/**
 * The lines from `startLine` to `endLine` (contract 5.2), both inclusive and counted from 1, joined by `\n` without a
 * final separator, with the byte order mark of the file in front if line 1 is among them or the file has no lines.
 *
 * @param bytes the whole file, valid UTF-8
 * @param startLine undefined means the first line
 * @param endLine undefined, or a number past the end, means the last line
 * @returns `content`: a view of `bytes`, or a copy where separators other than `\n` had to be replaced
 * @throws OperationError `invalid_range` if start > end or start is past the last line
 */
export function readLines(
  bytes: Buffer,
  startLine: number | undefined,
  endLine: number | undefined,
): { content: Buffer; totalLines: number } {
  if (startLine !== undefined && endLine !== undefined && startLine > endLine) {
    throw new OperationError('invalid_range', `Invalid line range: start ${startLine} > end ${endLine}`, {
      details: `Send a start_line that is not greater than end_line; ${validStart(countLines(bytes))}.`,
    });
  }
  const scanner = new LineScanner(bytes, bomLength(bytes));
  const firstLine = startLine ?? 1;
  const lineStart = scanner.seek(firstLine);
  const start = firstLine === 1 ? 0 : lineStart;
  const crlfBefore = scanner.separators['\r\n'];
  const end = scanner.seek((endLine ?? Infinity) + 1) - scanner.separator.length;
  const crlfAfter = scanner.separators['\r\n'] - (scanner.separator === '\r\n' ? 1 : 0);
  const totalLines = scanner.finish();
  if (startLine !== undefined && startLine > totalLines) {
    throw new OperationError('invalid_range', `Start line ${startLine} exceeds file length ${totalLines}`, {
      details: `Read again from a line that exists: ${validStart(totalLines)}.`,
    });
  }
  return { content: joinedByLf(bytes.subarray(start, end), crlfAfter - crlfBefore), totalLines };
}

function validStart(totalLines: number): string {
  return totalLines === 0
    ? 'the file has no lines, leave start_line out'
    : `the file has lines 1 to ${totalLines}, start_line must be one of them`;
}

/** @param crlfs how many `\r\n` the text holds, so that exactly the memory of the answer is taken */
function joinedByLf(text: Buffer, crlfs: number): Buffer {
  if (!text.includes(CR)) return text;
  const joined = Buffer.allocUnsafe(text.length - crlfs);
  let at = 0;
  // A loop over the bytes takes 1.3 ms for 1 MB, whatever is in it; a copy for each line takes 0.9 ms with lines of 60
  // bytes, but 8 ms with empty ones.
  for (let index = 0; index < text.length; index++) {
    const byte = text[index] ?? 0;
    if (byte === CR) {
      joined[at] = LF;
      if (text[index + 1] === LF) index += 1;
    } else {
      joined[at] = byte;
    }
    at += 1;
  }
  return joined;
}
