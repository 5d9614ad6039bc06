/** The client: `import { FileEditor } from 'file-editing-server/client'`, for Node and for browsers. */
export type { CallOptions, FileEditorOptions } from './call.js';
export { FileEditorError, type ErrorData } from './error.js';
export { FileEditor } from './file-editor.js';
export type { Fetch } from './send.js';
export type { Reason } from '../core/errors.js';
export type { Arguments as Params, LineEdit, OperationName, Results, TextEdit } from '../core/schemas.js';
