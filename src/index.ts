/** The library: `import { startServer } from 'file-editing-server'`. */
export { startServer, type RunningServer } from './server.js';
export { StartError } from './start-error.js';
export type { Options as StartOptions } from './flags.js';
export type { FileContent, FileStorage, StorageError } from './file-storage.js';
