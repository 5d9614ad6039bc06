import type { Lane } from './lane.js';
import type { SystemCall } from './strace.js';

/** A system call of a kind of write at which something can happen. */
export interface Point extends Pick<SystemCall, 'name' | 'nth'> {
  /** What it is done to, the same in each run. */
  readonly role: string;
}

/** The calls of a kind that touch the working directory, in order. */
export async function pointsOf(lane: Lane): Promise<readonly Point[]> {
  const [at = ''] = await lane.prepare(1);
  const { calls } = await lane.run(at);
  const below = (text: string): boolean => /\/proc\/\d+\/fd\/\d+/.test(text) || text.includes(lane.directory);
  return calls
    .filter(({ text }) => below(argumentsOf(text)))
    .map((call) => ({ name: call.name, nth: call.nth, role: roleOf(call, at) }));
}

/** A call without what differs from run to run: descriptors, names, sizes, what it found. */
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
        .replace(/\d{4}\.lock/, '*.lock'),
    );
  // What readlink finds is shown behind its path.
  return [name, ...(name === 'readlink' ? shown.slice(0, 1) : shown)].join(' ').trim();
}

/** Without the current directory, which no call is relative to, and the result. */
function argumentsOf(text: string): string {
  return text.replaceAll(/AT_FDCWD<[^>]*>/g, '').replace(/\) += .*$/, '');
}
