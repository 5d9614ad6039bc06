/** Traces of all kinds of writes, in each way that a server makes them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setupOf } from '../../../workspace.js';
import { putTree } from '../tree.js';
import type { WriteKind } from '../write-kinds.js';
import type { Timeline } from './effects.js';
import type { History } from './promises.js';
import { stringsIn, systemCallsOf, type SystemCall } from './system-calls.js';
import { TimelineReader } from './timeline.js';

export interface Way {
  readonly name: string;
  readonly history: History;
  /** In the main thread, which waits for no sync: then several are under way at once. */
  readonly sharesThread: boolean;
  /**
   * What the server has done in the directory before: it has written there long ago; nothing; or another thread of it
   * has just written the first file, in a directory below.
   */
  readonly past: 'used' | 'new' | 'just made';
}

export interface Traced {
  readonly kind: WriteKind;
  readonly way: Way;
  readonly at: string;
  readonly timeline: Timeline;
  /** Inode numbers, of nodes by their ids. */
  readonly numbers: ReadonlyMap<string, number>;
  /** System calls that had an effect, and syncs. */
  readonly calls: number;
}

const most = { days: 3_650, mostBytes: 1_000_000_000 };

export const ways: readonly Way[] = [undefined, most].flatMap((history) =>
  [false, true].flatMap((sharesThread) =>
    (['used', 'new', 'just made'] as const).map((past) => ({
      name: [
        ...(history === undefined ? [] : ['--history']),
        sharesThread ? 'main thread' : 'own thread',
        `${past} directory`,
      ].join(', '),
      history,
      sharesThread,
      past,
    })),
  ),
);

const program = fileURLToPath(new URL('traced.mjs', import.meta.url));
const at = 'p-';
/** Beyond this age, a file's timestamps prove that it has not changed (src/core/file-identity.ts). */
const agedMs = 250;
const warming = { operation: 'edit_file', params: { name: 'warm.txt', append: 'warm', create_if_missing: true } };
const beside = { operation: 'create', params: { path: 'beside/a.txt', content: 'beside', encoding: 'utf-8' } };

/** @param directory where the files may be made */
export async function traceKinds(kinds: readonly WriteKind[], directory: string): Promise<readonly Traced[]> {
  const jobs = kinds
    .flatMap((kind) => ways.map((way) => ({ kind, way })))
    .map((each, index) => ({ ...each, place: join(directory, `job-${String(index)}`) }));
  for (const { kind, place } of jobs) {
    mkdirSync(place);
    putTree(place, { ...kind.before(at), beside: null }, kind.young);
  }
  const readers = jobs.map(({ place }) => new TimelineReader(place));
  const given = jobs.map(({ kind, way: { history, sharesThread, past }, place }) => ({
    setup: {
      ...setupOf(place, { durability: 'full' }),
      ...(history && { history }),
      ...(sharesThread && { sharesThread }),
    },
    before: [...(past === 'used' ? [warming] : []), ...(kind.earlier?.(at) ?? [])],
    beside: past === 'just made' ? [beside] : [],
    calls: kind.calls(at),
  }));
  writeFileSync(join(directory, 'jobs.json'), JSON.stringify(given));
  await sleep(agedMs);
  const command = [process.execPath, program, join(directory, 'jobs.json')];
  const calls = await systemCallsOf(command, join(directory, 'trace'));
  readAll(calls, readers);
  return jobs.map(({ kind, way }, index) => {
    const reader = readers[index];
    if (reader === undefined) throw new Error('a job was not traced');
    const { timeline, numbers } = reader;
    return { kind, way, at, timeline, numbers, calls: timeline.moments.filter((each) => !('answered' in each)).length };
  });
}

function readAll(calls: readonly SystemCall[], readers: readonly TimelineReader[]): void {
  const waiting = [...readers];
  for (const call of calls) {
    const [reader] = waiting;
    if (reader === undefined) return;
    const mark = call.name === 'access' ? /^\/marked\/(\w+)(?:-(\d+))?$/.exec(String(stringsIn(call.args)[0])) : null;
    const [, what, number] = mark ?? [];
    if (what === undefined) reader.read(call);
    else if (what === 'settled') reader.settle();
    else if (what === 'answered') reader.answer(Number(number));
    else if (what === 'begun') reader.begin();
    else if (what === 'ended') waiting.shift();
  }
  if (waiting.length > 0) throw new Error('the traced program has ended too early');
}
