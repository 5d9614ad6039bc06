/** Members shared by the schemas of several operations. */
import type { Schema } from './schema.js';

/** The caller's number for the first line. All code counts from 1; only requests and answers may differ. */
export type LineBase = 0 | 1;

/** The description of a line number, for callers whose first line is `first`. */
export type LineDescription = (first: LineBase) => string;

/** Variants of a result, selected by the value of one member, each with its own members. */
export interface Shapes {
  readonly by: string;
  readonly kinds: Readonly<
    Record<string, { readonly required: readonly string[]; readonly optional?: readonly string[] }>
  >;
}

/** Schemas of an operation. */
export interface OperationSchemas {
  readonly params: Schema;
  readonly result: Schema;
  /** See Operation. */
  readonly shapes?: Shapes;
  /** See Operation. */
  readonly lineNumbers?: Readonly<Record<string, LineDescription>>;
}

export const returnHash = {
  type: 'boolean',
  default: false,
  description: 'Add the hash.',
} as const satisfies Schema;
export const expectedHash = {
  type: 'string',
  description: 'Only if the file still has this hash.',
} as const satisfies Schema;
export const path = {
  type: 'string',
  description: 'Path of the file.',
} as const satisfies Schema;
/** The record of a write in the history; only with --history. */
export const changeId = { type: 'string', description: 'Its id in the history.' } as const satisfies Schema;
export const success = { type: 'boolean', const: true } as const satisfies Schema;
export const pathDone = { type: 'string', description: 'The path, as it was given.' } as const satisfies Schema;
export const hash = {
  type: 'string',
  description: 'Hash of the whole text, lower-case hex.',
} as const satisfies Schema;
export const notice = {
  type: 'string',
  description: 'Only if this edit mixed the line endings of the file: where, and what to send.',
} as const satisfies Schema;
export const encoding = {
  type: 'string',
  enum: ['utf-8', 'base64'],
  default: 'utf-8',
  description: 'Of the content.',
} as const satisfies Schema;
/** Of a listed file. */
export const size = { type: 'integer', minimum: 0, description: 'Size in bytes.' } as const satisfies Schema;
/** Of a listed file. */
export const modified = {
  type: 'string',
  format: 'date-time',
  description: 'Time of the last change, UTC.',
} as const satisfies Schema;
export const endLine = 'Last line; it may be past the end.';
export const rangeRequested = {
  type: 'object',
  properties: {
    start_line: { type: 'integer', minimum: 1 },
    end_line: { type: 'integer', minimum: 1 },
  },
  additionalProperties: false,
  description: 'The bounds that were given.',
} as const satisfies Schema;
