/** Gives the record of changes its name (spec 14): from then on they are decided. */
import { linkSync, renameSync } from 'node:fs';
import type { Notice } from '../../src/core/errors.js';
import { isSameFile } from '../../src/core/file-identity.js';
import { fstat, lstat, unlink } from '../disk/calls.js';
import { releaseLock } from '../disk/lock/lock.js';
import { closeGate } from '../disk/lock/tree-lock.js';
import { cannotLink, errnoOf, isSystemError, noticeOf, orUndefined, retrying } from '../disk/system-error.js';
import type { TemporaryFile } from '../disk/write/temporary-file.js';
import type { Context } from '../handler.js';

/** @returns false if there is another record @throws the system error, with no record of this name */
export function nameRecord({ path, fd }: TemporaryFile, at: string, { workspace, notices }: Context): boolean {
  const isNamed = (): boolean =>
    isSameFile(
      orUndefined(() => lstat(at)),
      orUndefined(() => fstat(fd)),
    );
  const name = (call: () => void): boolean =>
    retrying(() => {
      try {
        call();
        return true;
      } catch (error) {
        // The reply may have been lost.
        if (isNamed()) return true;
        if (errnoOf(error) === 'EEXIST') return false;
        throw error;
      }
    });
  try {
    // Unlike rename(2), link(2) never replaces anything.
    return name(() => {
      linkSync(path, at);
    });
  } catch (error) {
    if (!cannotLink(errnoOf(error))) throw error;
  }
  const gate = closeGate(workspace.reserved, notices);
  if (gate === null) return false;
  try {
    if (lstat(at) !== undefined) return false;
    return name(() => {
      renameSync(path, at);
    });
  } finally {
    releaseLock(gate, notices);
  }
}

/** The changes are decided even if this fails: a sweep removes the leftover. */
export function removeOtherName({ path }: TemporaryFile, notices: Notice[]): void {
  try {
    unlink(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code !== 'ENOENT') notices.push(noticeOf('A temporary file could not be removed', error));
  }
}
