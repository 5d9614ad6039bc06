/** What each operation takes and gives, as schemas for clients and validators, and as the types that follow from them. */
import { editsSchemas } from './schemas/edits.js';
import { filesSchemas } from './schemas/files.js';
import type { ValueOf } from './schemas/schema.js';
import { storageSchemas } from './schemas/storage.js';

export type { LineDescription } from './schemas/members.js';

/** Of each operation, by name. */
export const schemas = { ...filesSchemas, ...storageSchemas, ...editsSchemas };

export type OperationName = keyof typeof schemas;

/** Parameters of each operation after validation. */
export type Params = { readonly [Name in OperationName]: ValueOf<(typeof schemas)[Name]['params']> };

/** What each operation gives, as its callers see it. */
export type Results = { readonly [Name in OperationName]: ValueOf<(typeof schemas)[Name]['result']> };

/** One of `edits` of edit_file. */
export type LineEdit = NonNullable<Params['edit_file']['edits']>[number];

/** One of `edits` of apply_edits. */
export type TextEdit = Params['apply_edits']['edits'][number];
