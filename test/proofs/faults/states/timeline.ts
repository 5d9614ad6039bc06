/** Reads system calls as effects on the files below a directory. Whatever it does not know, it refuses. */
import { bytesAfter, Entries, type Disk, type Effect, type Moment, type Node, type Timeline } from './effects.js';
import { Nodes } from './nodes.js';
import { stringsIn, type SystemCall } from './system-calls.js';

/** Calls on files that change neither their bytes nor their names. Modes, owners and times are no part of the model. */
const withoutEffect =
  /^(?:l?stat|fstat|newfstatat|statx|readlink|readlinkat|access|faccessat2?|getdents64|flock|f?statfs|[fl]?(?:get|list)xattr|utimensat|f?chmod|fchmodat|f?chown|fchownat|lchown|lseek|fadvise64)$/;

/** An open file. */
interface Open {
  readonly node: Node;
  readonly appends: boolean;
  /** When the call that opened it began. */
  readonly since: number;
  at: number;
}

export class TimelineReader {
  readonly #root: Node;
  readonly #entries: Entries;
  readonly #bytes: Map<number, Buffer>;
  readonly #opened = new Map<number, Open>();
  readonly #nodes = new Nodes();
  /** Of effects, when the call ended. */
  #effects: number[] = [];
  #moments: Moment[] = [];
  #before: Disk;
  #answered = 0;
  readonly #madeAgain = new Set<Node>();

  /** @param directory as it is before the first call */
  constructor(private readonly directory: string) {
    this.#before = this.#nodes.scan(directory);
    this.#root = this.#before.root;
    this.#entries = new Entries(this.#before.entries);
    this.#bytes = new Map(this.#before.bytes);
  }

  /** Inode numbers, of nodes by their ids. */
  get numbers(): ReadonlyMap<string, number> {
    return this.#nodes.numbers;
  }

  get timeline(): Timeline {
    return { before: this.#before, moments: this.#moments };
  }

  /** All that has happened so far is on disk: the time before the calls that matter. */
  settle(): void {
    const entries = new Map([...this.#entries.all].map(([id, names]) => [id, new Map(names)]));
    this.#before = { root: this.#root, entries, bytes: new Map(this.#bytes) };
    [this.#moments, this.#effects] = [[], []];
  }

  /** Only now the calls begin whose answers count. */
  begin(): void {
    this.#answered = 0;
    this.#moments = this.#moments.filter((each) => !('answered' in each));
  }

  answer(calls: number): void {
    this.#answered += calls;
    this.#moments.push({ answered: this.#answered });
  }

  /** In the order of their ends. @throws Error for a call that it does not know */
  read(call: SystemCall): void {
    const { name, args, result } = call;
    const given = args.split(', ');
    const number = /^\d+$/.test(given[0] ?? '') ? Number(given[0]) : -1;
    const opened = this.#opened.get(number);
    if (result < 0) return;
    switch (name) {
      case 'openat':
        this.#open(call);
        return;
      case 'close':
        // Another thread may have opened another file by then, with the same number.
        if (opened !== undefined && opened.since < call.begun) this.#opened.delete(number);
        return;
      case 'fsync':
      case 'fdatasync':
        if (opened !== undefined) this.#sync(opened.node, call);
        return;
      case 'write':
      case 'writev':
      case 'pwrite64':
        if (opened !== undefined) this.#write(opened, call, name === 'pwrite64' ? Number(given.at(-1)) : undefined);
        return;
      case 'ftruncate':
        if (opened !== undefined) this.#do({ kind: 'length', node: opened.node, length: Number(given[1]) }, call);
        return;
    }
    const [first, second] = this.#pathsIn(args);
    if (withoutEffect.test(name)) {
      const seen = opened ?? (first === undefined ? undefined : this.#at(first));
      if (seen !== undefined) this.#nodes.number(args, seen.node);
    } else if (first !== undefined && /^(?:unlink|rmdir)$/.test(name)) {
      this.#do({ kind: 'entry', ...first, node: undefined }, call);
    } else if (first !== undefined && name === 'mkdir') {
      this.#do({ kind: 'entry', ...first, node: this.#nodes.make('directory') }, call);
    } else if (second !== undefined && name === 'symlink') {
      this.#do({ kind: 'entry', ...second, node: this.#nodes.make('link', String(stringsIn(args)[0])) }, call);
    } else if (first !== undefined && second !== undefined && name === 'link') {
      this.#do({ kind: 'entry', ...second, node: this.#nodeAt(first) }, call);
    } else if (first !== undefined && second !== undefined && name === 'rename') {
      this.#rename(first, second, call);
    } else {
      this.#refuseUnknown(call);
    }
  }

  #open(call: SystemCall): void {
    const { args, result } = call;
    const [path] = this.#pathsIn(args);
    this.#opened.delete(result);
    if (path === undefined) {
      this.#refuseUnknown(call);
      return;
    }
    let node = path.name === '.' ? path.directory : this.#at(path)?.node;
    if (node === undefined) {
      if (!args.includes('O_CREAT')) throw new Error(`a file was opened that is not there: ${path.name}`);
      node = this.#nodes.make('file');
      this.#bytes.set(node.id, Buffer.alloc(0));
      this.#do({ kind: 'entry', ...path, node }, call);
    } else if (args.includes('O_TRUNC')) {
      this.#do({ kind: 'length', node, length: 0 }, call);
    }
    this.#opened.set(result, { node, appends: args.includes('O_APPEND'), since: call.begun, at: 0 });
  }

  #write(opened: Open, call: SystemCall, position: number | undefined): void {
    const { node, appends } = opened;
    const bytes = Buffer.concat(stringsIn(call.args)).subarray(0, call.result);
    const at = position ?? (appends ? (this.#bytes.get(node.id)?.length ?? 0) : opened.at);
    if (position === undefined) opened.at = at + bytes.length;
    this.#do({ kind: 'bytes', node, at, bytes }, call);
  }

  #rename(from: Path, to: Path, call: SystemCall): void {
    const node = this.#nodeAt(from);
    // Of two names of one file, rename(2) removes none.
    if (this.#at(to)?.node !== node) this.#do({ kind: 'rename', node, from, to }, call);
  }

  #do(effect: Effect, { ended }: SystemCall): void {
    this.#entries.apply(effect);
    if (effect.kind === 'bytes' || effect.kind === 'length') {
      const { id } = effect.node;
      this.#bytes.set(id, bytesAfter(this.#bytes.get(id) ?? Buffer.alloc(0), effect));
    }
    if (this.#isMadeAgain(effect)) return;
    this.#effects.push(ended);
    this.#moments.push({ effect });
  }

  /** Lock files and the file for git are made again where they are missing: to lose them is no other state. */
  #isMadeAgain(effect: Effect): boolean {
    if (effect.kind !== 'entry') return effect.kind !== 'rename' && this.#madeAgain.has(effect.node);
    const isSuch = /^(?:[a-z0-9]+\.lock|\.gitignore)$/.test(effect.name);
    if (isSuch && effect.node !== undefined) this.#madeAgain.add(effect.node);
    return isSuch;
  }

  #sync(synced: Node, { begun }: SystemCall): void {
    this.#moments.push({ synced, covered: this.#effects.filter((ended) => ended < begun).length });
  }

  #at({ directory, name }: Path): { readonly node: Node } | undefined {
    const node = name === '.' ? directory : this.#entries.in(directory).get(name);
    return node === undefined ? undefined : { node };
  }

  #nodeAt(path: Path): Node {
    const there = this.#at(path);
    if (there === undefined) throw new Error(`nothing is at ${path.name}`);
    return there.node;
  }

  /** The paths among the arguments: undefined where one leads elsewhere. */
  #pathsIn(args: string): (Path | undefined)[] {
    return stringsIn(args).map((each) => this.#find(String(each)));
  }

  #find(path: string): Path | undefined {
    const [, number, below = ''] = /^\/proc\/(?:\d+|self)\/fd\/(\d+)(?:\/(.*))?$/.exec(path) ?? [];
    const isInside = isBelow(path, this.directory);
    let at = number === undefined ? (isInside ? this.#root : undefined) : this.#opened.get(Number(number))?.node;
    if (at === undefined) return undefined;
    const names = (number === undefined ? path.slice(this.directory.length) : below)
      .split('/')
      .filter((name) => name !== '' && name !== '.');
    const name = names.pop() ?? '.';
    for (const each of names) {
      at = this.#entries.in(at).get(each);
      if (at?.kind !== 'directory') return undefined;
    }
    return { directory: at, name };
  }

  /** @throws Error for a call that may have to do with the files */
  #refuseUnknown({ name, args }: SystemCall): void {
    const given = args.split(', ');
    const isOpen = (argument = ''): boolean => this.#opened.has(/^\d+$/.test(argument) ? Number(argument) : -1);
    const paths = stringsIn(args).map(String);
    const isKnown =
      name === 'mmap'
        ? !args.includes('MAP_SHARED') || !isOpen(given[4])
        : name === 'fcntl'
          ? !args.includes('F_DUPFD') || !isOpen(given[0])
          : !isOpen(given[0]) && !paths.some((path) => isBelow(path, this.directory) || isAnchored.test(path));
    if (!isKnown) throw new Error(`the model of the file system does not know this call: ${name}(${paths.join(', ')})`);
  }
}

/** A path below an open directory. */
const isAnchored = /^\/proc\/\d+\/fd\/\d+/;

interface Path {
  readonly directory: Node;
  readonly name: string;
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
