/** Searches of a large tree (tree.ts), by this server and by ripgrep. Both are told to ignore nothing. */
import type { Quantities, Subject } from '../figures.js';
import { run, withRunning, type Program, type Running } from '../programs/program.js';
import { ripgrep, stdioServer } from '../programs/programs.js';
import { changeTree, smallPackage } from '../tree.js';
import { StdioTalk } from './stdio-talk.js';

/** The largest that are allowed: no answer may be cut. */
const limits = { grep: 10_000, glob: 100_000 };
/** Patterns of the search that only loads the code. */
const loading = { grep: 'require', glob: '*.json' };
/** What is searched for after that, and found nowhere. */
const otherPattern = 'searchedForByNobody';
const nothingIgnored = { hidden: true, ignored: true };

/** One search, phrased for each program. */
export interface Search {
  readonly operation: 'grep' | 'glob';
  readonly params: { readonly pattern: string; readonly mode?: 'files' };
  /** Of rg: it prints a line for each hit. */
  readonly args: readonly string[];
  /** Whether both must find as much. ripgrep also searches files that are not UTF-8, up to a NUL. */
  readonly same: boolean;
}

/** The lines that match. */
export function lines(pattern: string, same = false): Search {
  return { operation: 'grep', params: { pattern }, args: ['--line-number', '-e', pattern], same };
}

/** The files with lines that match, and how many. */
export function counts(pattern: string): Search {
  return { operation: 'grep', params: { pattern, mode: 'files' }, args: ['--count', '-e', pattern], same: false };
}

/** The files with such names. */
export function names(pattern: string): Search {
  return { operation: 'glob', params: { pattern }, args: ['--files', '-g', pattern], same: true };
}

export function paramsOf({ operation, params }: Search): object {
  return { ...params, ...nothingIgnored, limit: limits[operation] };
}

export interface BesideRipgrep {
  readonly own: Subject;
  readonly ripgrep: Subject;
}

/** The same search by both. @param isRepeated also again, and once more after a file has changed */
export function besideRipgrep(search: Search, isRepeated = false): BesideRipgrep {
  const hits = new Hits(search);
  return { own: byServer(search, isRepeated, hits), ripgrep: byRipgrep(search, isRepeated, hits) };
}

/** By a new process that has searched only a small package: its code is loaded, but the tree is unknown to it. */
function byServer(search: Search, isRepeated: boolean, hits: Hits): Subject {
  const program = stdioServer('--toolset=search');
  return {
    name: program.name,
    observe: ({ directories: { tree } }) =>
      withRunning(started(program, tree), async (running) => {
        const talk = new StdioTalk(running);
        const { operation: method } = search;
        await talk.ask({ method, params: { pattern: loading[method], path: smallPackage } });
        const times = await timesOf(isRepeated, tree, async () => {
          const answer = await talk.ask({ method, params: paramsOf(search) });
          return () => {
            hits.own(answer);
          };
        });
        const other = { ...paramsOf(search), pattern: otherPattern };
        return isRepeated ? { ...times, other: await timeOf(() => talk.ask({ method, params: other })) } : times;
      }),
  };
}

function byRipgrep(search: Search, isRepeated: boolean, hits: Hits): Subject {
  const program = ripgrep(...search.args);
  return {
    name: program.name,
    missing: program.missing,
    observe: async ({ directories: { tree } }) => {
      const times = await timesOf(isRepeated, tree, async () => {
        const printed = await outputOf(program, tree);
        return () => {
          hits.ripgrep(printed);
        };
      });
      const other = ripgrep('-e', otherPattern);
      return isRepeated ? { ...times, other: await timeOf(() => outputOf(other, tree)) } : times;
    },
  };
}

/** @param search returns the check of its result, which is not part of the time */
async function timesOf(isRepeated: boolean, tree: string, search: () => Promise<() => void>): Promise<Quantities> {
  const time = async (): Promise<number> => {
    const began = performance.now();
    const check = await search();
    const took = performance.now() - began;
    check();
    return took;
  };
  const first = await time();
  if (!isRepeated) return { first };
  const again = await time();
  changeTree(tree);
  return { first, again, changed: await time() };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** From the start of a process to its end. */
async function outputOf(program: Program, directory: string): Promise<Buffer> {
  const running = started(program, directory);
  const chunks: Buffer[] = [];
  for await (const chunk of running.stdout) chunks.push(chunk as Buffer);
  await running.ended;
  return Buffer.concat(chunks);
}

function started(program: Program, directory: string): Running {
  return run(program, { directory, port: 0, answerBytes: 0 });
}

/** Compares the results: both programs must have done the same work. */
class Hits {
  #own: number | undefined;
  #ripgrep: number | undefined;

  constructor(private readonly search: Search) {}

  /** @param answer of this server, in JSON-RPC */
  own(answer: Buffer): void {
    const { result } = JSON.parse(answer.toString()) as { readonly result: Found };
    if (result.truncated) throw new Error(`the answer to ${this.search.params.pattern} was cut`);
    this.#own = this.search.params.mode === 'files' ? result.total_files : (result.total_matches ?? result.total);
    this.#compare();
  }

  /** @param printed a line for each hit */
  ripgrep(printed: Buffer): void {
    this.#ripgrep = printed.toString().split('\n').length - 1;
    this.#compare();
  }

  #compare(): void {
    const [own = NaN, other = NaN] = [this.#own, this.#ripgrep];
    if (own === 0 || own > other || (this.search.same && own < other)) {
      throw new Error(`${this.search.params.pattern}: ${String(own)} hits, of ripgrep ${String(other)}`);
    }
  }
}

/** What is read of an answer. */
interface Found {
  readonly total?: number;
  readonly total_files?: number;
  readonly total_matches?: number;
  readonly truncated: boolean;
}
