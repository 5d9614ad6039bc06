/** Finds the regular file behind a name without leaving the working directory. */
import { isSameFile } from '../../../src/core/file-identity.js';
import { lstat } from '../calls.js';
import { closeRead } from '../close.js';
import { mostLooks } from './descend.js';
import { followLink, nameWords } from './behind-link.js';
import { denied, notRegular, tryOpen, type OpenFile } from './open-file.js';
import { realPathOf } from './parent.js';
import type { Root } from './root.js';
import { isInScope, nameOutOfScope } from './scope.js';
import { platform } from '../../../src/core/platform.js';
import { nameHeld } from './spelling.js';

/**
 * Open the regular file behind a flat name, following a symbolic link that stays inside.
 *
 * The kernel never follows a link here: realpath says where the link should lead, then every component is opened from
 * the one before it without following links. So a link swapped during the walk ends it instead of leading out (spec 5.5
 * and 6).
 * @param name a name that section 3 allows
 * @returns null if nothing has that name
 * @throws OperationError permission_denied, not_a_regular_file, not_found (a dangling link); the system error if the
 *   system fails, since only the caller knows whether that ends a read or an edit
 */
export function openRegular(root: Root, name: string): OpenFile | null {
  if (!isInScope(root, name, 'file')) throw nameOutOfScope(root, name);
  const held = nameHeld(root, { anchor: root.anchor, relative: '' }, name, name);
  if (held !== name && !isInScope(root, held, 'file')) throw nameOutOfScope(root, name);
  let opened = tryOpen(root.place(held), name);
  for (let look = 0; opened === 'link' && look < mostLooks; look++) opened = openBehindLink(root, name);
  if (opened === 'link')
    throw denied(name, { details: 'A symbolic link on the way to the file keeps changing; use a plain file.' });
  return opened;
}

function openBehindLink(root: Root, name: string): OpenFile | 'link' {
  const target = followLink(root, name, name, nameWords);
  if (target === 'root') throw notRegular(name, root.anchor.stats);
  if (target === null) return 'link';
  let opened: OpenFile | 'link' | null = null;
  try {
    if (!isInScope(root, target.place.relative, 'file')) throw nameOutOfScope(root, name);
    opened = tryOpen(target.place, name, target);
    if (opened !== null && opened !== 'link' && !stayedInside(root, opened)) opened = 'link';
  } finally {
    if (opened === null || opened === 'link') target.close();
  }
  // Removed between the two steps: the link now dangles, as the next attempt will find.
  return opened ?? 'link';
}

/**
 * Without /proc the walk goes by names, so a directory could have been swapped for a link and back: the opened file
 * must be the one that the real path names now. Otherwise its descriptor is closed. This promise is weaker than on
 * Linux, and documented.
 */
export function stayedInside(root: Root, file: OpenFile): boolean {
  if (platform.hasAnchoredPaths) return true;
  const expected = root.absolute(file.place.relative);
  let stayed = false;
  try {
    stayed = realPathOf(expected) === expected && isSameFile(lstat(expected), file.stats);
  } finally {
    if (!stayed) closeRead(file.fd);
  }
  return stayed;
}
