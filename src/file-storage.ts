/** The storage tools (contract 11) as types, for programs that call them. */
import type { Reason } from './errors.js';

/** A storage, however it is reached. What it refuses rejects with a StorageError. */
export interface FileStorage {
  /** Read a file, or list the names in a directory. Links are followed, and must stay inside. */
  view(path: string): Promise<FileContent>;
  /** Create a file and the directories that it needs; its content is text unless it is given in base64. Never overwrites. */
  create(path: string, content: string, encoding?: 'utf-8' | 'base64'): Promise<void>;
  /** Replace a text that occurs exactly once in the file. */
  str_replace(path: string, old_str: string, new_str: string): Promise<void>;
  /** Insert text before a line, counted from 1; whether it ends with a newline is the caller's choice. */
  insert(path: string, insert_line: number, new_str: string): Promise<void>;
  /** Delete a file, a link or a directory that is really empty: hidden files count. */
  delete(path: string): Promise<void>;
  /** Rename or move a file, a link or a directory. Never overwrites. */
  rename(old_path: string, new_path: string): Promise<void>;
}

/** What `view` returns: content, encoding and size of a file, or the entries of a directory. */
export interface FileContent {
  readonly type: 'file' | 'directory';
  /** Text, or bytes in base64. */
  readonly content?: string;
  readonly encoding?: 'utf-8' | 'base64';
  /** In code point order, without names that begin with a dot. */
  readonly entries?: string[];
  /** In bytes. */
  readonly size?: number;
}

export interface StorageError {
  readonly code: Reason;
  readonly message: string;
  /** As the caller wrote it. */
  readonly path?: string;
}
