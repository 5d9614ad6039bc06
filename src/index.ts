/** The library: `import { startServer, applyEdits } from 'file-editing-server'`. */
export {
  applyEdits,
  ApplyEditsError,
  type ApplyEditsOptions,
  type ApplyEditsReport,
  type Replaced,
  type TextEdit,
} from './apply-edits.js';
export { startServer, type RunningServer } from './server.js';
export { StartError } from './config/start-error.js';
export type { Options as StartOptions } from './config/options.js';
export type { FileContent, FileStorage, StorageError } from './file-storage.js';
