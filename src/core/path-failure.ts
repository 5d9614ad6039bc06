import { isDiskFull } from './error-code.js';
import { errorKinds, type Failure, type Reason } from './errors.js';
import { isObject } from './json/json-body.js';
import { onOneLine } from './names/names-in-messages.js';
import { type Operation, listAt, pathsOf, rows, textAt } from './operations.js';

/**
 * A failure as the storage and edits tools report it: with their error code, the path, and their wording where it
 * differs from that of the tools for flat names.
 */
export function asToldBy(operation: Operation, params: unknown, failed: Failure): Failure {
  if (operation.paths === undefined) return failed;
  if (operation.changes === undefined) return ofPaths(operation, params, failed);
  const changes = listAt(params, operation.changes);
  const number = failed.data?.change;
  return number === undefined ? ofPaths(operation, {}, failed) : withChangeNumber(changes, number, failed);
}

/**
 * The failure as the operation for this change alone would report it, with the number of the change. @param number from
 * 1
 */
function withChangeNumber(changes: readonly unknown[], number: number, failed: Failure): Failure {
  const change = changes[number - 1];
  // The edits of a glob may fail in one of its files.
  const path = textAt(change, 'path') ?? failed.data?.path;
  const alone = ofPaths(
    operationFor(change, failed),
    { path, old_path: path, new_path: textAt(change, 'rename_to') },
    failed,
  );
  const at = `Change ${String(number)} of ${String(changes.length)} (${shown(path ?? textAt(change, 'glob') ?? '')})`;
  return { ...alone, message: `${at} failed: ${alone.message}` };
}

/** The operation that makes such a change alone, or the part of it that has failed. */
function operationFor(change: unknown, { kind }: Failure): Operation {
  const has = (name: string): boolean => isObject(change) && change[name] !== undefined;
  if (has('rename_to') && kind === 'write_denied') return rows.rename;
  if (has('edits')) return rows.apply_edits;
  if (has('content')) return rows.write;
  return has('rename_to') ? rows.rename : rows.delete;
}

/** In characters: a longer path is a mistake. */
const mostShown = 4096;

function shown(path: string): string {
  const short = path.length > mostShown ? `${path.slice(0, mostShown)}…` : path;
  return onOneLine(short.toWellFormed());
}

function ofPaths(operation: Operation, params: unknown, failed: Failure): Failure {
  const path = pathOf(operation, params, failed);
  const diskFull = failed.kind === 'write_failed' && isDiskFull(failed.data?.errno);
  const reason = diskFull ? 'disk_full' : errorKinds[failed.kind].reason;
  return {
    ...failed,
    message: messageOf(operation, failed, reason, path),
    details: reason === 'binary_file' && operation.writes ? changeBytes : failed.details,
    data: { ...failed.data, reason, ...(path === undefined ? {} : { path }) },
  };
}

const changeBytes =
  'This works on UTF-8 text only. To change a file of other bytes, write all of it with the operation write, in base64, with its hash as expected_hash; or convert it to UTF-8.';

/** The path at fault, if the failure names one: of two paths, the other may be right. */
function pathOf(operation: Operation, params: unknown, { parameters, data }: Failure): string | undefined {
  if (data?.path !== undefined) return data.path;
  const named = operation.paths?.find((name) => parameters?.includes(name));
  return named === undefined ? pathsOf(operation, params)[0] : textAt(params, named);
}

/** Agents see only the message of a failed edit, so it must say what to do (spec 11). */
const hints: Readonly<Partial<Record<Reason, string>>> = {
  file_not_found: 'Check that file exists.',
  permission_denied: 'Check the permissions of the file and its directory.',
  is_directory: 'Name a file in it.',
  not_a_directory: 'Check the path.',
  not_a_file: 'Check the path.',
  binary_file: 'Check its encoding: only UTF-8 text can be edited.',
  disk_full: 'Free space, then send the edits again.',
};

function messageOf(operation: Operation, failed: Failure, reason: Reason, path = ''): string {
  const message = plainMessage(operation, failed, reason, path);
  const isFile = failed.kind !== 'no_directory' && failed.kind !== 'directory_denied';
  const advised = failed.kind === 'not_allowed' ? 'Use what is allowed, or ask for this to be allowed.' : hints[reason];
  const hint = operation.toolset === 'edits' && isFile ? advised : undefined;
  return hint === undefined ? message : `${message}. ${hint}`;
}

function plainMessage({ paths = [] }: Operation, { kind, message }: Failure, reason: Reason, path: string): string {
  if (reason === 'disk_full') return 'Insufficient disk space';
  if (reason === 'binary_file') return 'Cannot perform text operation on binary file';
  if (kind !== 'permission_denied' && kind !== 'not_allowed' && kind !== 'write_denied') return message;
  // The system does not report which of two paths was denied.
  return paths.length > 1 ? 'Permission denied' : `Permission denied: ${path}`;
}
