import type { OperationName } from '../src/core/operations.js';
import type { Handler } from './handler.js';
import { applyChanges } from './operations/apply-changes.js';
import { editByText } from './operations/apply-edits.js';
import { createFile } from './operations/create.js';
import { deletePath } from './operations/delete.js';
import { editFile } from './operations/edit.js';
import { globFiles } from './operations/glob.js';
import { grep } from './operations/grep.js';
import { history } from './operations/history.js';
import { insertText } from './operations/insert.js';
import { listFiles } from './operations/list.js';
import { readFile } from './operations/read.js';
import { renamePath } from './operations/rename.js';
import { strReplace } from './operations/str-replace.js';
import { undo } from './operations/undo.js';
import { view } from './operations/view.js';
import { writeFile } from './operations/write.js';

/** One function for each row of the operation table; a missing one does not compile. */
export const handlers: { readonly [Name in OperationName]: Handler<Name> } = {
  list_files: listFiles,
  read_file: readFile,
  edit_file: editFile,
  view,
  create: createFile,
  str_replace: strReplace,
  insert: insertText,
  delete: deletePath,
  rename: renamePath,
  write: writeFile,
  apply_edits: editByText,
  apply_changes: applyChanges,
  grep,
  glob: globFiles,
  history,
  undo,
};
