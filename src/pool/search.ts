/**
 * A search runs in parts. The first part gets a little time, enough for small trees. The rest is divided among the
 * threads, in the order of paths. Each part pauses for other calls and ends soon, so a search gives way, and as many
 * threads work on it as there are processors. The main thread is one of them while it has nothing else to do: it need
 * not be started.
 */
import type { Failure, Notice, Outcome, Success } from '../core/errors.js';
import { bytesPerMb } from '../core/memory/held.js';
import type { Params } from '../core/operations.js';
import { withSlashes } from '../core/globs/glob.js';
import {
  mostLeftOut,
  type LeftOut,
  type Range,
  type Rest,
  type Room,
  type SearchedPart,
  type SearchPart,
  type Skipped,
} from '../core/search-part.js';
import { mostMessageBytes } from '../core/thread/task.js';
import { PendingCall } from './pending-call.js';
import type { SearchUse } from './remembered-searches.js';

/** Milliseconds: a tree that takes longer is divided. */
const firstMs = 100;
/** Milliseconds for a later part: long compared with reading the directories on its way again. */
const laterMs = 250;
/** Number of pieces per thread into which the rest is divided: some take longer than others. */
const divisionsPerThread = 3;
/** Limit of the answer to a program, counted twice as in a message to a model (workers/operations/found-lines.ts). */
const mostAnswerBytes = 64 * bytesPerMb;
/** Room in the text for a model for the counts, and for where to continue. */
const besideMatches = 200;

/** What a search explains once it has found nothing. */
type Explains = SearchPart['explains'];

const nothingSkipped: Readonly<Record<Skipped, number>> = { binary: 0, too_large: 0, unreadable: 0 };

interface Segment {
  /**
   * Once searched, it ends where the search stopped: the rest has its own segments, even if this one is searched again.
   */
  range: Range;
  /** Whether the main thread must not run it. */
  readonly needsThread: boolean;
  readonly explains?: Explains;
  state: 'waiting' | 'running' | Found;
}

interface Found {
  readonly files: Uint8Array;
  readonly part: SearchedPart;
}

/** A call that runs in parts. */
export type SearchCall = PendingCall & { readonly params: Params['grep'] };

/** Whether a call runs in parts, as its row says; only content searches do. */
export function isSearch(call: PendingCall): call is SearchCall {
  return call.operation.inParts === true;
}

/**
 * How to run a part of a search. Resolves when no thread works on it any more.
 * @param mayRunHere whether the main thread may run it
 */
export type RunPart = (part: PendingCall, mayRunHere: boolean) => Promise<void>;

export class Search {
  /** The segments that are not yet in the answer, in order. */
  readonly #segments: Segment[] = [{ range: {}, needsThread: false, state: 'waiting' }];
  readonly #files: Uint8Array[] = [];
  #totals = { matches: 0, files: 0, searched: 0, named: 0 };
  #skipped: Record<Skipped, number> = { ...nothingSkipped };
  #leftOut: readonly LeftOut[] = [];
  #isFile = false;
  /** Set while another reading of the glob is tried. */
  #glob: string | undefined;
  #note: string | undefined;
  #explained = false;
  #left: Room;
  #cursor: string | undefined;
  #running = 0;
  #hasBegun = false;
  /** The part that the main thread may be running. */
  #onMainThread: Segment | undefined;
  readonly #notices: Notice[] = [];
  readonly #ended = new AbortController();

  /**
   * @param timeoutMs of the call
   * @param threads limit on threads that work on it, at least one
   */
  constructor(
    private readonly call: SearchCall,
    private readonly use: SearchUse,
    private readonly timeoutMs: number,
    private readonly threads: number,
    private readonly runPart: RunPart,
  ) {
    const { params, context } = call;
    const { model } = context;
    const { maxChars = 0 } = model ?? {};
    this.#left = {
      matches: params.mode === 'count' ? Infinity : (params.limit ?? 200),
      characters: maxChars > 0 ? Math.max(0, maxChars - besideMatches) : Infinity,
      bytes: model === undefined ? mostAnswerBytes : mostMessageBytes - 2 * besideMatches,
    };
    void call.answer.then(() => {
      this.#ended.abort();
    });
  }

  /** The call is always settled and ended eventually. */
  start(): void {
    for (const segment of this.#segments) {
      if (segment.state === 'waiting' && this.#isFree(segment)) void this.#run(segment);
    }
  }

  /** Whether there is a thread for it. One place is left to the main thread, for segments that it may run. */
  #isFree({ needsThread }: Segment): boolean {
    if (!needsThread) return this.#running < this.threads;
    const inPool = this.#onMainThread === undefined ? this.#running : this.#running - 1;
    return inPool < Math.max(1, this.threads - 1);
  }

  async #run(segment: Segment): Promise<void> {
    const { call, use } = this;
    const stopAfterMs = this.#hasBegun ? laterMs : firstMs;
    this.#hasBegun = true;
    if (!segment.needsThread) this.#onMainThread ??= segment;
    this.#running += 1;
    segment.state = 'running';
    const search: SearchPart = {
      range: segment.range,
      room: this.#left,
      isFirst: this.#totals.files === 0,
      stopAfterMs,
      glob: this.#glob,
      explains: segment.explains,
      ...use.memory,
    };
    const part = new PendingCall(
      call.operation,
      call.params,
      { ...call.context, signal: this.#ended.signal, search },
      this.timeoutMs,
    );
    await this.runPart(part, this.#onMainThread === segment);
    if (this.#onMainThread === segment) this.#onMainThread = undefined;
    this.#running -= 1;
    const outcome = await part.answer;
    if (!call.settled) this.#take(segment, outcome);
    if (!call.settled) this.start();
    else if (this.#running === 0) {
      use.release();
      call.endIfSettled();
    }
  }

  #take(segment: Segment, outcome: Outcome): void {
    this.#notices.push(...(outcome.notices ?? []));
    const found = foundIn(outcome);
    if ('ok' in found) {
      this.call.settle(found);
      return;
    }
    segment.state = found;
    const { rest } = found.part;
    if (rest !== undefined) {
      const waiting = this.#segments.filter(({ state, needsThread }) => state === 'waiting' && !needsThread);
      const most = waiting.length < this.threads ? divisionsPerThread * this.threads : 1;
      const segments = divided(rest, segment.range.to, most).map((range): Segment => {
        return { range, needsThread: rest.needsThread === true && range.from === rest.from, state: 'waiting' };
      });
      this.#segments.splice(this.#segments.indexOf(segment) + 1, 0, ...segments);
      segment.range = { ...segment.range, to: rest.from };
    }
    this.#putTogether();
  }

  /** Add the finished segments that are next in order to the answer. */
  #putTogether(): void {
    for (
      let [first] = this.#segments;
      first !== undefined && typeof first.state !== 'string';
      [first] = this.#segments
    ) {
      const { files, part } = first.state;
      if (!isWithin(part.used, this.#left)) {
        // Earlier parts have taken more room than was known when this one began.
        first.state = 'waiting';
        return;
      }
      this.#segments.shift();
      this.#add(files, part);
      if (part.truncated) {
        this.#settle(true);
        return;
      }
    }
    if (this.#segments.length > 0) return;
    const next = this.#next();
    if (next === undefined) this.#settle(false);
    else this.#segments.push({ range: {}, needsThread: false, state: 'waiting', ...next });
  }

  /** What is left to do once everything is searched; undefined if nothing. */
  #next(): Pick<Segment, 'explains'> | undefined {
    const { params, context } = this.call;
    const { pattern, literal = false, glob, cursor } = params;
    if (this.#totals.matches > 0 || this.#explained) return undefined;
    const isNamed = glob === undefined || this.#totals.named > 0;
    // A model may have written names in the Windows way.
    const slashed = isNamed || context.model === undefined ? undefined : withSlashes(glob);
    if (slashed !== undefined && this.#glob === undefined) {
      this.#glob = slashed;
      // The whole tree is walked again.
      this.#skipped = { ...nothingSkipped };
      this.#leftOut = [];
      return {};
    }
    this.#explained = true;
    this.#glob = undefined;
    if (cursor !== undefined || (isNamed && (literal || !pattern.includes('\\')))) return undefined;
    return { explains: isNamed ? 'pattern' : 'glob' };
  }

  #add(files: Uint8Array, part: SearchedPart): void {
    const { totalMatches, totalFiles, searched, named, skipped, leftOut, isFile, note, used, cursor } = part;
    if (files.length > 0) this.#files.push(files);
    this.#leftOut = [...this.#leftOut, ...leftOut].slice(0, mostLeftOut);
    this.#isFile ||= isFile;
    this.#note = note;
    this.#totals = {
      matches: this.#totals.matches + totalMatches,
      files: this.#totals.files + totalFiles,
      searched: this.#totals.searched + searched,
      named: this.#totals.named + named,
    };
    for (const kind of ['binary', 'too_large', 'unreadable'] as const) this.#skipped[kind] += skipped[kind];
    const { matches, characters, bytes } = this.#left;
    this.#left = {
      matches: matches - used.matches,
      characters: characters - used.characters,
      bytes: bytes - used.bytes,
    };
    this.#cursor = cursor ?? this.#cursor;
  }

  #settle(truncated: boolean): void {
    const parts = this.#files.flatMap((part, index) => [index === 0 ? '[' : ',', part]);
    const files = Buffer.concat([...parts, this.#files.length === 0 ? '[]' : ']'].map((part) => Buffer.from(part)));
    const { matches, files: totalFiles, searched } = this.#totals;
    this.call.settle({
      ok: true,
      result: {
        files,
        total_matches: matches,
        total_files: totalFiles,
        searched,
        skipped: this.#skipped,
        truncated,
        ...(truncated && this.#cursor !== undefined ? { cursor: this.#cursor } : {}),
        ...(this.#note === undefined ? {} : { note: this.#note }),
      },
      forModel: { leftOut: this.#leftOut, isFile: this.#isFile },
      ...(this.#notices.length === 0 ? {} : { notices: this.#notices }),
    });
  }
}

function isWithin(used: Room, left: Room): boolean {
  return used.matches <= left.matches && used.characters <= left.characters && used.bytes <= left.bytes;
}

function foundIn(outcome: Outcome): Found | Failure {
  if (!outcome.ok) return outcome;
  const { part, result }: Success = outcome;
  const { files } = result;
  if (part === undefined || !(files instanceof Uint8Array)) throw new Error('a search was answered without its part');
  return { files, part };
}

/**
 * The rest, in ranges; a file that needs a thread gets its own range.
 * @param most limit on the other ranges
 */
function divided({ from, needsThread, divisions }: Rest, to: string | undefined, most: number): Range[] {
  const step = Math.max(1, Math.ceil(divisions.length / most));
  const borders = divisions.filter((border, index) => index % step === 0 && border !== from);
  // No name contains a NUL, so this is the next path.
  const first = needsThread === true ? [from, `${from}\0`] : [from];
  const starts = most === 1 ? first : [...first, ...borders];
  return starts.map((start, index) => ({ from: start, to: starts[index + 1] ?? to }));
}
