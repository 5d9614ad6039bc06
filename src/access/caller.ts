import type { Scope } from '../core/globs/scope.js';

/** Whose request it is (spec 16). */
export interface Caller {
  /** Of its token, for the log and the metrics. */
  readonly name: string;
  readonly access: 'read' | 'write';
  /** The files that it may use; absent: all of them. */
  readonly files?: AllowedFiles;
}

/** Some files of the directory, in the three forms in which they are needed. */
export interface AllowedFiles {
  /** From the root of the directory, for the threads. */
  readonly globs: readonly string[];
  /** The same as one text, for caches. */
  readonly key: string;
  readonly scope: Scope;
}
