import type { Arguments as Params, OperationName, Results } from '../core/schemas.js';
import { FileEditorError } from './error.js';
import type { ClientCall, CallOptions, FileEditorOptions } from './call.js';
import { Caller } from './caller.js';

type ReadForHash = Params['read_file'] & { readonly return_hash: true };

/**
 * Client of a server over HTTP. Each method is the operation of the same name, with its parameters and result as
 * docs/tools.md describes them; the server's `--toolset` determines which of them exist. All reject with a
 * FileEditorError; its `applied` is undefined if the request was never sent.
 *
 * A call that the server did not begin (503, or no connection) is retried, at most three times. If an answer is lost,
 * the call is retried if it only reads or has an `expected_hash` (in each change, if it makes several). An edit with
 * `expected_hash` is applied at most once, however often it is sent, but the answer may be 412 although the edit is in
 * the file: the error's `applied` is `'unknown'`, and reading the file settles it.
 */
export class FileEditor {
  private readonly caller: Caller;

  /**
   * @param url of the server, such as `http://127.0.0.1:8080`; '' for the server of the current page
   * @throws FileEditorError if it is not a valid server URL
   */
  constructor(url: string | URL, options: FileEditorOptions = {}) {
    this.caller = new Caller(url, options);
  }

  /** The text files of the working directory, by name. */
  listFiles(options: CallOptions = {}): Promise<Results['list_files']> {
    return this.read('list_files', {}, undefined, options);
  }

  /** A file, or its lines from `start_line` to `end_line`, counted from 1, both included. */
  readFile(params: ReadForHash, options?: CallOptions): Promise<Results['read_file'] & { readonly hash: string }>;
  readFile(params: Params['read_file'], options?: CallOptions): Promise<Results['read_file']>;
  readFile(params: Params['read_file'], options: CallOptions = {}): Promise<Results['read_file']> {
    return this.read('read_file', params, params.name, options);
  }

  /**
   * Read a file unless it is one of the known versions. The result includes its hash.
   * @param hashes from earlier results
   * @returns undefined if the file is one of those versions
   */
  async readFileIfChanged(
    params: Params['read_file'],
    hashes: string | readonly string[],
    options: CallOptions = {},
  ): Promise<Results['read_file'] | undefined> {
    return this.caller.call({
      operation: 'read_file',
      params: { ...params, return_hash: true },
      subject: params.name,
      headers: { 'If-None-Match': [hashes].flat().map(quoted).join(', ') },
      writes: false,
      repeatable: true,
      options,
    });
  }

  /** Edit lines, all or nothing. Every line number refers to the file before the call. */
  editFile(params: Params['edit_file'], options: CallOptions = {}): Promise<Results['edit_file']> {
    return this.change('edit_file', params, params.name, options);
  }

  /** Read a file, as text or base64, or several, or list a directory. */
  view(params: Params['view'], options: CallOptions = {}): Promise<Results['view']> {
    return this.read('view', params, params.path, options);
  }

  /** Create a file and its missing parent directories. Never overwrites: an existing file is a 409. */
  create(params: Params['create'], options: CallOptions = {}): Promise<Results['create']> {
    return this.change('create', params, params.path, options);
  }

  /** Replace a text that occurs exactly once in the file, byte for byte. */
  strReplace(params: Params['str_replace'], options: CallOptions = {}): Promise<Results['str_replace']> {
    return this.change('str_replace', params, params.path, options);
  }

  /** Insert a text verbatim before a line or at the end of the file. */
  insert(params: Params['insert'], options: CallOptions = {}): Promise<Results['insert']> {
    return this.change('insert', params, params.path, options);
  }

  /** Delete a file, a link or an empty directory. */
  delete(params: Params['delete'], options: CallOptions = {}): Promise<Results['delete']> {
    return this.change('delete', params, params.path, options);
  }

  /** Move a file, a link or a directory, creating missing parent directories. Never overwrites. */
  rename(params: Params['rename'], options: CallOptions = {}): Promise<Results['rename']> {
    return this.change('rename', params, params.old_path, options);
  }

  /** Write a whole file, or create it. An existing file is a 409 unless `expected_hash` is its hash or `*`. */
  write(params: Params['write'], options: CallOptions = {}): Promise<Results['write']> {
    return this.change('write', params, params.path, options);
  }

  /**
   * Find and replace texts, one edit after the other, all or nothing; with `dry_run`, only report what would change.
   */
  applyEdits(params: Params['apply_edits'], options: CallOptions = {}): Promise<Results['apply_edits']> {
    if (params.dry_run === true) return this.read('apply_edits', params, params.path, options);
    return this.change('apply_edits', params, params.path, options);
  }

  /** Edit, write, delete and rename several files, all or nothing; with `dry_run`, only report what would change. */
  applyChanges(params: Params['apply_changes'], options: CallOptions = {}): Promise<Results['apply_changes']> {
    const subject = params.changes[0]?.path;
    if (params.dry_run === true) return this.read('apply_changes', params, subject, options);
    // If every change expects a version, a repetition fails: the files no longer have those versions.
    const repeatable = params.changes.every(expectsVersion);
    return this.result({ operation: 'apply_changes', params, subject, options, writes: true, repeatable });
  }

  /** Find the lines that match a regular expression or a text, in a file or in a directory and all below it. */
  grep(params: Params['grep'], options: CallOptions = {}): Promise<Results['grep']> {
    return this.read('grep', params, params.path, options);
  }

  /** Find files by a pattern for their names, such as `*.{ts,tsx}`, in a directory and all below it. */
  glob(params: Params['glob'], options: CallOptions = {}): Promise<Results['glob']> {
    return this.read('glob', params, params.path, options);
  }

  /** List recorded changes, newest first; with `after`, those since then, if need be after a wait. */
  history(params: Params['history'] = {}, options: CallOptions = {}): Promise<Results['history']> {
    return this.read('history', params, undefined, options);
  }

  /** Take recorded changes back, all or nothing; with `dry_run`, only report what would change. */
  undo(params: Params['undo'], options: CallOptions = {}): Promise<Results['undo']> {
    if (params.dry_run === true) return this.read('undo', params, undefined, options);
    return this.change('undo', params, undefined, options);
  }

  private read<Name extends OperationName>(
    operation: Name,
    params: Params[Name],
    subject: string | undefined,
    options: CallOptions,
  ): Promise<Results[Name]> {
    return this.result({ operation, params, subject, options, writes: false, repeatable: true });
  }

  private change<Name extends OperationName>(
    operation: Name,
    params: Params[Name],
    subject: string | undefined,
    options: CallOptions,
  ): Promise<Results[Name]> {
    return this.result({ operation, params, subject, options, writes: true, repeatable: expectsVersion(params) });
  }

  private async result<Name extends OperationName>(call: ClientCall<Name>): Promise<Results[Name]> {
    const result = await this.caller.call(call);
    if (result === undefined) {
      const message = '304 is not a valid answer to a request without If-None-Match';
      throw new FileEditorError({ message, status: 304 }, call.writes);
    }
    return result;
  }
}

/** Whether a change is made at most once. With `*` it could replace what others have written since. */
function expectsVersion(change: object): boolean {
  const expected: unknown = Reflect.get(change, 'expected_hash');
  return typeof expected === 'string' && expected !== '*';
}

function quoted(hash: string): string {
  return `"${hash}"`;
}
