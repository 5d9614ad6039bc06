/** Traces threads of a running server with strace, and can fail their system calls or kill it there. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** A traced system call. */
export interface SystemCall {
  /** 0 if only one was traced. */
  readonly thread: number;
  readonly name: string;
  /** 1-based index among the thread's calls of this name since strace was attached. */
  readonly nth: number;
  /** As strace shows it, paths of descriptors included. */
  readonly text: string;
  readonly injected: boolean;
}

/** Injected effect of a call, in strace's syntax: `error=EIO`, `signal=SIGKILL`, `retval=2`. */
export interface Injection {
  readonly name: string;
  /** Which call of this name, and whether all later ones too. */
  readonly nth: number;
  readonly forEver: boolean;
  readonly effect: string;
}

/** Why strace cannot be attached; false if it can. */
export function cannotTrace(): string | false {
  if (spawnSync('strace', ['-V']).status !== 0) return 'strace is not installed';
  const attached = spawnSync('sh', ['-c', 'sleep 0.2 & exec strace -o /dev/null -p $!']);
  return attached.status === 0 ? false : 'strace may not attach to a process here';
}

/**
 * The worker thread of a server with one (`--workers=1`) that has written: among the threads other than the main one,
 * it has written most.
 */
export function workerThread(pid: number): number {
  const written = threadsBeside(pid).map((thread) => [writtenBy(pid, thread), thread] as const);
  const [most] = written.sort(([a], [b]) => b - a);
  if (most === undefined) throw new Error(`process ${String(pid)} has one thread only`);
  return most[1];
}

function writtenBy(pid: number, thread: number): number {
  const counters = readFileSync(`/proc/${String(pid)}/task/${String(thread)}/io`, 'utf8');
  return Number(/^wchar: (\d+)$/m.exec(counters)?.[1]);
}

/** All threads but the main one: also that of libuv, which syncs files for the others (one if UV_THREADPOOL_SIZE is 1). */
export function threadsBeside(pid: number): number[] {
  return readdirSync(`/proc/${String(pid)}/task`)
    .map(Number)
    .filter((thread) => thread !== pid);
}

/** strace attached to threads. */
export interface Trace {
  /** Detach, or wait until the threads are gone. @returns its calls on files and descriptors, in order */
  end(): Promise<readonly SystemCall[]>;
}

/** Attach to threads. Resolves when every further call is seen. @throws if there is no such thread */
export async function trace(threads: readonly number[], injection?: Injection): Promise<Trace> {
  const attach = threads.flatMap((thread) => ['-p', String(thread)]);
  const strace = spawn('strace', [...options(injection), ...attach], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  const closed = once(strace, 'close');
  await new Promise<void>((resolve, reject) => {
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.split(' attached').length > threads.length) resolve();
    });
    strace.once('close', () => {
      reject(new Error(`strace ended: ${output}`));
    });
    strace.once('error', reject);
  });
  return {
    end: async () => {
      strace.kill('SIGINT');
      await closed;
      return callsIn(output);
    },
  };
}

/** Run a program, and trace its main thread. @returns its calls on files and descriptors, in order */
export async function traceProgram(
  [command = '', ...args]: readonly string[],
  injection?: Injection,
): Promise<readonly SystemCall[]> {
  const traced = spawn('strace', [...options(injection), command, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  traced.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(traced, 'close');
  return callsIn(output);
}

function options(injection: Injection | undefined): string[] {
  const inject = injection === undefined ? [] : ['-e', `inject=${expression(injection)}`];
  return ['-y', '-s', '16', '-e', 'trace=%file,%desc', ...inject];
}

function expression({ name, nth, forEver, effect }: Injection): string {
  return `${name}:${effect}:when=${String(nth)}${forEver ? '+' : ''}`;
}

/** Of several threads, strace begins each line with the thread, and shows a call in two parts if another comes between. */
function callsIn(output: string): SystemCall[] {
  const calls: Writable<SystemCall>[] = [];
  const counts = new Map<string, number>();
  const unfinished = new Map<string, Writable<SystemCall>>();
  for (const line of output.split('\n')) {
    const [, thread = '', text = ''] = /^(?:\[pid +(\d+)\] )?(.*)$/.exec(line) ?? [];
    const resumed = text.startsWith('<... ') ? unfinished.get(thread) : undefined;
    if (resumed !== undefined) {
      resumed.text = resumed.text.replace(/ *<unfinished \.\.\.>$/, text.replace(/^<\.\.\. \w+ resumed>/, ''));
      resumed.injected ||= text.includes('(INJECTED)');
    }
    const name = /^([a-z0-9_]+)\(/.exec(text)?.[1];
    if (name === undefined) continue;
    const key = `${thread} ${name}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    const call = { thread: Number(thread), name, nth, text, injected: text.includes('(INJECTED)') };
    calls.push(call);
    if (text.endsWith('<unfinished ...>')) unfinished.set(thread, call);
  }
  return calls;
}

type Writable<Type> = { -readonly [Member in keyof Type]: Type[Member] };
