/** Writes the new text of a file to a temporary one, which then only has to take its name. */
import type { Notice } from '../../src/core/errors.js';
import type { WorkerSetup } from '../../src/core/thread/task.js';
import type { Reserved } from '../disk/lock/reserved.js';
import { copyMetadata, setNewMode } from '../disk/metadata/metadata.js';
import type { Anchor } from '../disk/paths/anchor.js';
import type { Root } from '../disk/paths/root.js';
import { createTemporary, discardTemporary, type TemporaryFile } from '../disk/write/temporary-file.js';
import type { Version } from '../disk/write/version.js';
import { writeWhole, type Written } from '../disk/write/write-whole.js';
import type { Text } from '../text/scattered-text.js';

/** A text ready to take the name of its file. */
export interface Staged {
  readonly temporary: TemporaryFile;
  readonly written: Written;
  /** The working directory that contains it. */
  readonly anchor: Anchor;
}

interface ToStage {
  readonly root: Root;
  readonly reserved: Reserved;
  readonly setup: Pick<WorkerSetup, 'umask'>;
  /** The file that it replaces; null if one is to be created. */
  readonly original: Version | null;
  /** The anchored directory of the file, or the nearest existing one above it. */
  readonly directory: string;
  readonly text: Text;
  readonly notices: Notice[];
}

/**
 * A temporary file with all bytes of the text and the file's future mode, owner and attributes (spec 6). Not synced.
 * @throws OperationError write_failed; the system error
 */
export function stage({ root, reserved, setup, original, directory, text, notices }: ToStage): Staged {
  const { anchor } = root;
  const temporary = createTemporary(reserved.use(notices), notices);
  try {
    const written = writeWhole(temporary.fd, text);
    if (original === null) setNewMode(temporary, directory, setup.umask, notices);
    else copyMetadata(original, temporary, notices);
    return { temporary, written, anchor };
  } catch (error) {
    discardTemporary(temporary, notices);
    throw error;
  }
}
