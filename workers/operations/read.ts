import { fstatSync } from 'node:fs';
import type { Success } from '../../src/errors.js';
import { identityOf, isYoung, sameIdentity, type FileIdentity } from '../../src/file-identity.js';
import type { Params } from '../../src/operations.js';
import { openRegular } from '../disk/confine.js';
import { readAll } from '../disk/read.js';
import type { Context } from '../handlers.js';
import { jsonString } from '../text/json-escape.js';
import { countLines, readLines } from '../text/lines.js';
import { assertLineLimit, assertUtf8, fileNotFound, hashOf } from './text-file.js';

/** Read a text file, whole or a range of lines (contract 5.2); the order of the checks is that of 5.5. */
export function readFile(params: Params['read_file'], { workspace }: Context): Success {
  const { name, start_line, end_line } = params;
  const { root, setup } = workspace;
  const file = openRegular(root, name);
  if (file === null) throw fileNotFound(name);
  let bytes: Buffer;
  let identity: FileIdentity | undefined;
  const now = Date.now();
  try {
    bytes = readAll(file, setup.maxBytes);
    const after = fstatSync(file.fd, { bigint: true });
    const direct = file.place.relative === name;
    if (direct && sameIdentity(file.stats, after) && !isYoung(after, now)) identity = identityOf(after);
  } finally {
    file.close();
  }
  assertUtf8(bytes);
  if (setup.maxLines !== undefined) assertLineLimit(countLines(bytes), setup.maxLines);
  const hash = hashOf(bytes);
  const { content, totalLines } = readLines(bytes, start_line, end_line);
  const range = {
    ...(start_line === undefined ? {} : { start_line }),
    ...(end_line === undefined ? {} : { end_line }),
  };
  const text = jsonString(content);
  const rest = {
    total_lines: totalLines,
    ...(start_line === undefined && end_line === undefined ? {} : { range_requested: range }),
    ...(params.return_hash === true ? { hash } : {}),
  };
  const json = Buffer.concat([Buffer.from('{"content":'), text, Buffer.from(`,${JSON.stringify(rest).slice(1)}`)]);
  return { ok: true, result: { content: text, ...rest }, json, hash, ...(identity === undefined ? {} : { identity }) };
}
