import { OperationError, type Success } from '../../src/errors.js';
import type { Params, Precondition } from '../../src/operations.js';
import { writeAtomically } from '../disk/atomic-write.js';
import { assertWritable, openRegular, type OpenFile } from '../disk/confine.js';
import type { FileLock } from '../disk/lock.js';
import { tooLarge } from '../disk/read.js';
import type { Root } from '../disk/root.js';
import { readVersion, type Version } from '../disk/version.js';
import { acquireFileLock } from '../file-lock.js';
import type { Context } from '../handlers.js';
import { Stage } from '../task.js';
import { applyLineEdits } from '../text/line-edits.js';
import { countLines } from '../text/lines.js';
import { hasChanged } from './has-changed.js';
import { assertLineLimit, assertUtf8, hashOf } from './text-file.js';

type EditParams = Params['edit_file'];
const nothing = Buffer.alloc(0);

/** Edit the lines of a text file, all or nothing (contract 5.3). */
export async function editFile(params: EditParams, context: Context): Promise<Success> {
  for (;;) {
    const relative = probe(params, context);
    const lock = await acquireFileLock(context, relative);
    try {
      const file = open(params, context);
      try {
        // A link that leads elsewhere since the lock was chosen: the lock of its new target is needed.
        if (file !== null && file.place.relative !== relative) continue;
        return edit(params, context, lock, file);
      } finally {
        file?.close();
      }
    } finally {
      const notice = lock.release();
      if (notice !== undefined) context.notices.push(notice);
    }
  }
}

/** What can be refused without the lock is, before anything is created. @returns which file to lock */
function probe(params: EditParams, context: Context): string {
  const file = open(params, context);
  file?.close();
  return file?.place.relative ?? params.name;
}

/** The file, or null if it may be created. */
function open(params: EditParams, { workspace, precondition }: Context): OpenFile | null {
  const { name } = params;
  const file = openExisting(workspace.root, name, params.create_if_missing === true);
  if (file === null) {
    // Whoever expects a version is told that it is gone (412), not that a flag is missing.
    if (params.expected_hash !== undefined || precondition !== undefined) {
      throw hasChanged(params, precondition, undefined);
    }
    if (params.create_if_missing !== true) throw missing(name);
    return null;
  }
  try {
    assertWritable(file.place, name);
  } catch (error) {
    file.close();
    throw error;
  }
  return file;
}

/** A dangling link is a missing file too, but never one that may be created. */
function openExisting(root: Root, name: string, create: boolean): OpenFile | null {
  try {
    return openRegular(root, name);
  } catch (error) {
    if (!create && error instanceof OperationError && error.failure.kind === 'not_found') return null;
    throw error;
  }
}

function missing(name: string): OperationError {
  return new OperationError('not_found', `File '${name}' not found and create_if_missing is false`, {
    details: 'Call list_files to see which files exist, or send create_if_missing: true to create this one.',
  });
}

function edit(params: EditParams, context: Context, lock: FileLock, file: OpenFile | null): Success {
  const { name } = params;
  const { root, reserved, setup } = context.workspace;
  const original = file === null ? null : readCurrent(params, context, file);
  const old = original?.bytes ?? nothing;
  const result = applyLineEdits(old, params.edits ?? [], params.append);
  if (result.bytes.length > setup.maxBytes) throw tooLarge(result.bytes.length, setup.maxBytes);
  assertLineLimit(result.totalLines, setup.maxLines);
  if (original === null || !result.bytes.equals(old)) {
    const anchor = root.anchor;
    writeAtomically(
      {
        root,
        reserved,
        lock,
        original,
        place: file?.place ?? { relative: name, path: anchor.path(name), directory: anchor.base },
        bytes: result.bytes,
        durability: setup.durability,
        umask: setup.umask,
        claim: () => context.progress.advance(Stage.claimed),
        notices: context.notices,
      },
      name,
    );
  }
  const hash = hashOf(result.bytes);
  return {
    ok: true,
    result: {
      success: true,
      lines_modified: result.linesModified,
      file_created: original === null,
      new_total_lines: result.totalLines,
      ...(params.return_hash === true ? { hash } : {}),
    },
    hash,
  };
}

function readCurrent(params: EditParams, { workspace, precondition }: Context, file: OpenFile): Version {
  const { setup } = workspace;
  const version = readVersion(file, params.name, setup.maxBytes);
  assertUtf8(version.bytes);
  if (setup.maxLines !== undefined) assertLineLimit(countLines(version.bytes), setup.maxLines);
  if (params.expected_hash !== undefined || precondition !== undefined) {
    const current = hashOf(version.bytes);
    if (!isExpected(current, params.expected_hash, precondition)) throw hasChanged(params, precondition, current);
  }
  return version;
}

function isExpected(current: string, expected: string | undefined, precondition: Precondition | undefined): boolean {
  if (expected !== undefined && expected !== current) return false;
  return precondition === undefined || precondition === '*' || precondition.includes(current);
}
