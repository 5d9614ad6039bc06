/** What is measured: files, and what how many clients ask for. Both sides of a load know a workload by its name. */

/** A request of a client, as REST takes it. */
export interface Request {
  readonly path: string;
  readonly body: string;
}

export interface Workload {
  readonly name: string;
  readonly files: { readonly count: number; readonly bytes: number };
  /** Connections, each with one request at a time. */
  readonly clients: number;
  /** Server processes that share the directory; the clients are spread over them. */
  readonly servers: number;
  /** The directory cannot be used twice. */
  readonly writes: boolean;
  /** Only for the budgets: it says nothing new beside the other servers. */
  readonly budgetOnly?: true;
  /**
   * So many requests are made before any counts: the servers compile, start their threads and fill their caches. A
   * number and not a time, so that a slow machine is not measured colder than a fast one.
   */
  readonly warmUp: number;
  /** Every acknowledged request adds one line to a file, so that lost ones can be counted. */
  readonly appends?: true;
  /** What one client sends, again and again, in this order. */
  readonly requests: (client: number, clients: number) => readonly Request[];
}

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
/** So many different requests that no two writes in a row put the same text into a file. */
const distinctEdits = 200;

export function fileName(index: number): string {
  return `file-${String(index).padStart(4, '0')}.txt`;
}

const line = 'A line of "ordinary" prose, 60 bytes long with its newline.\n';

/** Text of exactly so many bytes. */
export function fileText(bytes: number): string {
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

function request(operation: string, params: unknown): Request {
  return { path: `/${operation}`, body: JSON.stringify(params) };
}

/** Together the clients read all files, each one its share of them. */
function reads(files: number) {
  return (client: number, clients: number): readonly Request[] => {
    const share = Math.ceil(files / clients);
    return Array.from({ length: share }, (_, index) => {
      return request('read_file', { name: fileName((client + index * clients) % files) });
    });
  };
}

/** One line in the middle is replaced; `fileOf` says in which file. */
function edits(fileOf: (client: number) => number) {
  return (client: number): readonly Request[] =>
    Array.from({ length: distinctEdits }, (_, index) => {
      const content = `Line of client ${String(client)}, version ${String(index)}`;
      return request('edit_file', {
        name: fileName(fileOf(client)),
        edits: [{ line: 800, operation: 'replace', content }],
      });
    });
}

function appends(fileOf: (client: number) => number) {
  return (client: number): readonly Request[] =>
    Array.from({ length: distinctEdits }, (_, index) => {
      const append = `Entry ${String(index)} of client ${String(client)}\n`;
      return request('edit_file', { name: fileName(fileOf(client)), append });
    });
}

function lists(): readonly Request[] {
  return [request('list_files', {})];
}

function files(count: number, bytes: number) {
  return { files: { count, bytes } };
}

const own = (client: number): number => client;
const shared = (): number => 0;
const usual = { servers: 1, writes: false };
const writing = { servers: 1, writes: true };

const all = [
  { ...usual, name: 'read 1 KB', ...files(1000, kilobyte), clients: 10, warmUp: 3000, requests: reads(1000) },
  { ...usual, name: 'read 1 KB alone', ...files(1000, kilobyte), clients: 1, warmUp: 1000, requests: reads(1000) },
  { ...usual, name: 'read 1 KB by many', ...files(1000, kilobyte), clients: 64, warmUp: 3000, requests: reads(1000) },
  { ...usual, name: 'read 100 KB', ...files(10, 100 * kilobyte), clients: 10, warmUp: 500, requests: reads(10) },
  { ...usual, name: 'read 1 MB', ...files(10, megabyte), clients: 10, warmUp: 100, requests: reads(10) },
  { ...usual, name: 'list 1000 files', ...files(1000, kilobyte), clients: 1, warmUp: 20, requests: lists },
  {
    ...writing,
    name: 'append alone',
    ...files(1, kilobyte),
    clients: 1,
    warmUp: 200,
    appends: true,
    requests: appends(own),
  },
  { ...writing, name: 'edit 1 MB', ...files(5, megabyte), clients: 5, warmUp: 150, requests: edits(own) },
  {
    ...writing,
    name: 'edit 1 MB, one file',
    ...files(1, megabyte),
    clients: 5,
    budgetOnly: true,
    warmUp: 150,
    requests: edits(shared),
  },
  {
    ...writing,
    name: 'edit 100 KB, 5 servers',
    ...files(1, 100 * kilobyte),
    clients: 5,
    servers: 5,
    budgetOnly: true,
    warmUp: 300,
    requests: edits(shared),
  },
  {
    ...writing,
    name: 'append, 32 files',
    ...files(32, kilobyte),
    clients: 32,
    appends: true,
    warmUp: 500,
    requests: appends(own),
  },
  {
    ...writing,
    name: 'append, one file',
    ...files(1, kilobyte),
    clients: 32,
    appends: true,
    warmUp: 500,
    requests: appends(shared),
  },
] as const satisfies readonly Workload[];

export type WorkloadName = (typeof all)[number]['name'];

export const workloads: ReadonlyMap<string, Workload> = new Map(all.map((each) => [each.name, each]));

/** @throws if there is none of this name */
export function workload(name: string): Workload {
  const found = workloads.get(name);
  if (found === undefined) throw new Error(`no workload is called "${name}"`);
  return found;
}
