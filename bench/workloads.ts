/** The load of many concurrent clients: files, and requests shared among the clients. */
import { fileName, files, kilobyte, lineBytes, megabyte, type Files } from './files.js';

/** A REST request. */
export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string;
  /** Sent as a bearer token. */
  readonly token?: string;
}

export interface Workload {
  readonly name: string;
  readonly files: Files;
  /** Number of connections, each with one request in flight. */
  readonly clients: number;
  /** Server processes that share the directory; the clients are spread over them. One if absent. */
  readonly servers?: number;
  /** The servers listen on one port, and the system spreads the clients. */
  readonly onePort?: true;
  /** Its directory cannot be reused. */
  readonly writes?: true;
  /** Every acknowledged request adds one line that starts with `Entry ` to a file, so lost edits can be counted. */
  readonly appends?: true;
  /**
   * Uncounted requests at the start: the servers compile, start their threads and fill their caches. A count rather
   * than a time, so a slow machine is not measured colder than a fast one.
   */
  readonly warmUp: number;
  /** Sent in order by any free client, then again from the first. */
  readonly requests: () => readonly Request[];
}

/** Enough distinct requests that two consecutive writes never put the same text into a file. */
const distinctEdits = 200;
/** Size of an append, and how many a file takes before the next file's turn: up to 64 KB. */
const entryBytes = 40;
const appendsPerFile = Math.floor((64 * kilobyte) / entryBytes);
const appendedFiles = 40;

export function request(operation: string, params: unknown): Request {
  return { method: 'POST', path: `/${operation}`, body: JSON.stringify(params) };
}

export function read(file: number, range: { readonly start_line?: number; readonly end_line?: number } = {}): Request {
  return request('read_file', { name: fileName(file), ...range });
}

/** Replaces a line in the middle of a file with one of the same length; `version` makes the text new. */
export function edit(file: number, bytes: number, version: number): Request {
  const content = `Line of version ${String(version)}`.padEnd(lineBytes - 1, '.');
  const line = Math.ceil(bytes / lineBytes / 2);
  return request('edit_file', { name: fileName(file), edits: [{ line, operation: 'replace', content }] });
}

function append(file: number, entry: number): Request {
  const line = `Entry ${String(entry)} `.padEnd(entryBytes - 1, '.');
  return request('edit_file', { name: fileName(file), append: `${line}\n` });
}

function sequence(length: number, make: (index: number) => Request): () => readonly Request[] {
  return () => Array.from({ length }, (_, index) => make(index));
}

function reads(count: number): () => readonly Request[] {
  return sequence(count, (index) => read(index));
}

function edits(count: number, bytes: number): () => readonly Request[] {
  return sequence(count * distinctEdits, (index) => edit(index % count, bytes, index));
}

/** One list, so workloads that only read share a directory. */
export const thousandFiles = files(1000, kilobyte);
const megabyteFiles = files(10, megabyte);
const mixedFiles = [...thousandFiles, ...megabyteFiles];

/** Of 20 requests, 14 read a small file, 4 edit one, 1 reads a large file and 1 lists all. */
function mixed(index: number): Request {
  const turn = index % 20;
  if (turn === 0) return request('list_files', {});
  if (turn === 10) return read(thousandFiles.length + (index % megabyteFiles.length));
  return turn % 5 === 1
    ? edit(index % thousandFiles.length, kilobyte, index)
    : read((index * 7) % thousandFiles.length);
}

export const workloads = {
  read1KB: { name: 'read 1 KB', files: thousandFiles, clients: 10, warmUp: 20_000, requests: reads(1000) },
  read100KB: { name: 'read 100 KB', files: files(10, 100 * kilobyte), clients: 10, warmUp: 500, requests: reads(10) },
  read1MB: { name: 'read 1 MB', files: megabyteFiles, clients: 10, warmUp: 500, requests: reads(10) },
  list: {
    name: 'list 1000 files',
    files: thousandFiles,
    clients: 1,
    warmUp: 20,
    requests: sequence(1, () => request('list_files', {})),
  },
  edit64Files: {
    name: 'edit 64 files',
    files: files(64, kilobyte),
    clients: 32,
    writes: true,
    warmUp: 5000,
    requests: edits(64, kilobyte),
  },
  appendOneFile: {
    name: 'append to one file',
    files: files(appendedFiles, entryBytes),
    clients: 64,
    writes: true,
    appends: true,
    warmUp: 10_000,
    requests: sequence(appendedFiles * appendsPerFile, (index) => append(Math.floor(index / appendsPerFile), index)),
  },
  appendAlone: {
    name: 'append alone',
    files: files(1, kilobyte),
    clients: 1,
    writes: true,
    appends: true,
    warmUp: 2000,
    requests: sequence(distinctEdits, (index) => append(0, index)),
  },
  edit1MB: {
    name: 'edit 1 MB',
    files: files(5, megabyte),
    clients: 5,
    writes: true,
    warmUp: 150,
    requests: edits(5, megabyte),
  },
  edit1MBOneFile: {
    name: 'edit 1 MB, one file',
    files: files(1, megabyte),
    clients: 5,
    writes: true,
    warmUp: 150,
    requests: edits(1, megabyte),
  },
  edit100KBServers: {
    name: 'edit 100 KB, 5 servers',
    files: files(1, 100 * kilobyte),
    clients: 5,
    servers: 5,
    writes: true,
    warmUp: 300,
    requests: edits(1, 100 * kilobyte),
  },
  mixed: {
    name: 'mixed work',
    files: mixedFiles,
    clients: 10,
    writes: true,
    warmUp: 0,
    requests: sequence(2000, mixed),
  },
} as const satisfies Record<string, Workload>;
