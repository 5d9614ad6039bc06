import type { Reason } from './reasons.js';

/** A way in which a request can fail. Code branches on the kind; the fronts send `code` and `status` (spec 5.5). */
export interface ErrorKind {
  /** JSON-RPC error code; by default the one shared by all failures about files. */
  readonly code?: number;
  /** HTTP status of the REST front. */
  readonly status: number;
  /** Error code of the storage and edits tools (spec 11), unless the disk is full. */
  readonly reason: Reason;
  readonly occursIn: Occurrence;
  /** The caller's own mistake, such as a missing file: not worth a warning in the log. */
  readonly callersOwn?: true;
  /** The default for `data.details`: what an agent should do next. */
  readonly advice: string;
}

/**
 * Where a kind can occur, for OpenAPI: requests before their operation is known, all operations, operations on a file,
 * by flat name or by path, operations that write, operations whose row lists it, or none that the document describes.
 */
export type Occurrence = 'request' | 'all' | 'file' | 'name' | 'path' | 'write' | 'some' | 'none';
