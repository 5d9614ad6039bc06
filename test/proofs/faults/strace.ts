/** Traces one thread of a running server with strace, and can fail its system calls or kill it there. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** A traced system call. */
export interface SystemCall {
  readonly name: string;
  /** 1-based index among calls of this name since strace was attached. */
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
  const threads = readdirSync(`/proc/${String(pid)}/task`).map(Number);
  const written = threads.filter((thread) => thread !== pid).map((thread) => [writtenBy(pid, thread), thread] as const);
  const [most] = written.sort(([a], [b]) => b - a);
  if (most === undefined) throw new Error(`process ${String(pid)} has one thread only`);
  return most[1];
}

function writtenBy(pid: number, thread: number): number {
  const counters = readFileSync(`/proc/${String(pid)}/task/${String(thread)}/io`, 'utf8');
  return Number(/^wchar: (\d+)$/m.exec(counters)?.[1]);
}

/** strace attached to a thread. */
export interface Trace {
  /** Detach, or wait until the thread is gone. @returns its calls on files and descriptors, in order */
  end(): Promise<readonly SystemCall[]>;
}

/** Attach to a thread. Resolves when every further call is seen. @throws if there is no such thread */
export async function trace(thread: number, injection?: Injection): Promise<Trace> {
  const inject = injection === undefined ? [] : ['-e', `inject=${expression(injection)}`];
  const strace = spawn('strace', ['-y', '-s', '16', '-e', 'trace=%file,%desc', ...inject, '-p', String(thread)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  const closed = once(strace, 'close');
  await new Promise<void>((resolve, reject) => {
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes(' attached')) resolve();
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

function expression({ name, nth, forEver, effect }: Injection): string {
  return `${name}:${effect}:when=${String(nth)}${forEver ? '+' : ''}`;
}

function callsIn(output: string): SystemCall[] {
  const calls: SystemCall[] = [];
  const counts = new Map<string, number>();
  for (const text of output.split('\n')) {
    const name = /^([a-z0-9_]+)\(/.exec(text)?.[1];
    if (name === undefined) continue;
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    calls.push({ name, nth, text, injected: text.includes('(INJECTED)') });
  }
  return calls;
}
