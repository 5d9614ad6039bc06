/** Parameters and results of each operation: schemas for clients and validators, and the types derived from them. */
import { changesSchemas } from './schemas/changes.js';
import { editsSchemas } from './schemas/edits.js';
import { filesSchemas } from './schemas/files.js';
import { historySchemas } from './schemas/history.js';
import type { ValueOf } from './schemas/schema.js';
import { searchSchemas } from './schemas/search.js';
import { storageSchemas } from './schemas/storage.js';

export type { LineDescription } from './schemas/members.js';

/** By operation name. */
export const schemas = {
  ...filesSchemas,
  ...storageSchemas,
  ...editsSchemas,
  ...searchSchemas,
  ...changesSchemas,
  ...historySchemas,
};

export type OperationName = keyof typeof schemas;

/** Parameters of each operation, as its callers send them. */
export type Arguments = { readonly [Name in OperationName]: ValueOf<(typeof schemas)[Name]['params']> };

/** Parameters of each operation after validation. */
export type Params = { readonly [Name in OperationName]: WithLargeTexts<Arguments[Name]> };

/**
 * A large text of a request as UTF-8 bytes: as a string it would be in memory five times between its arrival and its
 * file. The bytes are in shared memory, so they are not copied between threads, and they survive a dead thread when the
 * call goes to the next one. In the parameters of an operation it replaces a string.
 */
export type LargeText = Uint8Array<SharedArrayBuffer>;

/** The parameters as they arrive: members that a row lists in `largeTexts` may be bytes. */
type WithLargeTexts<Of> = Of extends readonly (infer Item)[]
  ? readonly WithLargeTexts<Item>[]
  : Of extends object
    ? { readonly [Name in keyof Of]: Name extends LargeTextName ? Of[Name] | LargeText : WithLargeTexts<Of[Name]> }
    : Of;
export type LargeTextName = 'append' | 'content' | 'new_str';

/** What each operation returns, as its callers see it. */
export type Results = { readonly [Name in OperationName]: Owned<ValueOf<(typeof schemas)[Name]['result']>> };

/** With mutable lists, since the caller owns them. */
type Owned<Of> = Of extends readonly (infer Item)[]
  ? Owned<Item>[]
  : Of extends object
    ? { readonly [Name in keyof Of]: Owned<Of[Name]> }
    : Of;

/** One of `edits` of edit_file, as its callers send it. */
export type LineEdit = NonNullable<Arguments['edit_file']['edits']>[number];

/** The same after validation. */
export type ValidLineEdit = NonNullable<Params['edit_file']['edits']>[number];

/** One of `edits` of apply_edits. */
export type TextEdit = Params['apply_edits']['edits'][number];
