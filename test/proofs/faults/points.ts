import type { Lane } from './lane.js';
import type { SystemCall } from './strace.js';

/** A system call of a kind of write at which a fault can be injected. */
export interface Point extends Pick<SystemCall, 'name' | 'nth'> {
  /** Made by a thread that syncs for the worker. */
  readonly isBeside: boolean;
  /** Its target, the same in each run. */
  readonly role: string;
}

/** Maximum runs of a kind; two consecutive ones must make the same calls. */
const mostRuns = 20;

/**
 * The calls of a kind that touch the working directory, in order. Late work of a previous call, such as closing its
 * file, may interleave, so two consecutive runs must agree. Not in their numbers: writes that wake other threads count,
 * too, and a fault that comes at another call is tried again (attempts.ts).
 * @throws Error if no two runs are alike
 */
export async function pointsOf(lane: Lane): Promise<readonly Point[]> {
  let before: readonly string[] = [];
  let differing = '';
  for (const at of await lane.prepare(mostRuns)) {
    const points = await pointsAt(lane, at);
    const seen = inAnyOrder(points);
    const first = seen.findIndex((each, index) => each !== before[index]);
    if (first === -1 && seen.length === before.length) return points;
    differing = `${String(before[first])} and ${String(seen[first])}`;
    before = seen;
  }
  throw new Error(`no two runs of ${lane.kind.name} in a row make the same system calls: ${differing}`);
}

/** Threads that sync beside the worker, several files or directories together, end in any order. */
function inAnyOrder(points: readonly Point[]): readonly string[] {
  const beside = points.filter(({ isBeside }) => isBeside).map(({ role }) => role);
  const inOrder = points.filter(({ isBeside }) => !isBeside).map(({ role }) => role);
  return [...inOrder, ...beside.sort()];
}

async function pointsAt(lane: Lane, at: string): Promise<readonly Point[]> {
  const { calls, worker } = await lane.run(at);
  return pointsIn(calls, at, { directory: lane.directory, worker });
}

/**
 * @param calls of a trace
 * @param of the working directory, if calls begin with its path; the worker among several threads
 */
export function pointsIn(
  calls: readonly SystemCall[],
  at: string,
  { directory = '/.file-editor', worker = 0 }: { readonly directory?: string; readonly worker?: number } = {},
): readonly Point[] {
  const below = (text: string): boolean => /\/proc\/\d+\/fd\/\d+/.test(text) || text.includes(directory);
  return calls
    .filter(({ text }) => below(argumentsOf(text)))
    .map((call) => ({
      name: call.name,
      nth: call.nth,
      role: roleOf(call, at),
      isBeside: call.thread !== 0 && call.thread !== worker,
    }));
}

/** A call without the details that vary between runs: descriptors, names, sizes, results. */
export function roleOf({ name, text }: SystemCall, at: string): string {
  const paths = [...argumentsOf(text).matchAll(/"([^"]*)"|<([^<>]*)>/g)].map(
    ([, quoted, opened]) => quoted ?? opened ?? '',
  );
  const shown = paths
    .filter((path) => path.includes('/'))
    .map((path) => path.replace(/^\/proc\/\d+\/fd\/\d+/, '').replace(/^.*\/file-editor-test-[^/]*/, ''))
    .map((path) =>
      path
        .replaceAll(at, '*')
        .replace(/[0-9a-f]{24}\.tmp/, '*.tmp')
        .replace(/\d{4}\.lock/, '*.lock')
        .replace(/\d{15}\.jsonl/, '*.jsonl')
        .replace(/[0-9a-f]{24}(?:-\d+)?$/, '*.kept'),
    );
  // strace shows readlink's result after its path.
  return [name, ...(name === 'readlink' ? shown.slice(0, 1) : shown)].join(' ').trim();
}

/** Without the result and the current directory, to which no call is relative. */
function argumentsOf(text: string): string {
  return text.replaceAll(/AT_FDCWD<[^>]*>/g, '').replace(/\) += .*$/, '');
}
