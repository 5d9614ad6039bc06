/** The library: `import { startServer, applyEdits, applyChanges, createFileStorage } from 'file-editing-server'`. */
export {
  applyChanges,
  ApplyChangesError,
  type ApplyChangesOptions,
  type ApplyChangesReport,
  type FileChange,
} from './library/apply-changes.js';
export {
  applyEdits,
  ApplyEditsError,
  type ApplyEditsOptions,
  type ApplyEditsReport,
  type Replaced,
  type TextEdit,
} from './library/apply-edits.js';
export { startServer, type RunningServer } from './server.js';
export { StartError } from './config/start-error.js';
export type { Options as StartOptions } from './config/arguments.js';
export {
  createFileStorage,
  FileStorageError,
  type FileContent,
  type FileStorage,
  type StorageError,
} from './library/file-storage.js';
