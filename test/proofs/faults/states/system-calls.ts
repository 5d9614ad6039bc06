/** All system calls of a program and its threads, with every byte that they write, by strace. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';

export interface SystemCall {
  readonly name: string;
  /** As strace shows them; every string is in hexadecimal, so it holds no quote, comma or bracket. */
  readonly args: string;
  /** What it returned; negative for an error. */
  readonly result: number;
  /** Where it began and ended in the order of all beginnings and ends. */
  readonly begun: number;
  readonly ended: number;
}

/** Calls that are made often and change no file. All others are traced, so that none is missed that does. */
const harmless = [
  ...[
    'read',
    'pread64',
    'readv',
    'preadv',
    'futex',
    'brk',
    'mprotect',
    'munmap',
    'madvise',
    'epoll_wait',
    'epoll_pwait',
  ],
  ...['clock_gettime', 'gettid', 'sched_yield', 'rt_sigprocmask', 'rt_sigaction', 'poll', 'getrandom', 'prctl'],
];

/**
 * Every sync takes so many microseconds longer, so whatever does not wait for it is seen to happen before its end.
 */
const delay = ['fsync', 'fdatasync'].flatMap((name) => ['-e', `inject=${name}:delay_enter=3000`]);

/** @throws Error if the program fails */
export async function systemCallsOf(command: readonly string[], output: string): Promise<readonly SystemCall[]> {
  const only = `trace=!${harmless.join(',')}`;
  // -v shows inode numbers.
  const options = ['-f', '-v', '-xx', '-s', '10000000', '-o', output, '-e', only, ...delay];
  const traced = spawn('strace', [...options, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its requests would not be seen.
    env: { ...process.env, UV_USE_IO_URING: '0' },
  });
  let errors = '';
  traced.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  await once(traced, 'close');
  if (traced.exitCode !== 0) throw new Error(`${command.join(' ')} failed under strace: ${errors}`);
  try {
    return systemCallsIn(readFileSync(output, 'latin1'));
  } finally {
    rmSync(output);
  }
}

const unfinished = ' <unfinished ...>';

/** In the order of their ends. */
export function systemCallsIn(trace: string): SystemCall[] {
  const calls: SystemCall[] = [];
  const begun = new Map<string, { readonly text: string; readonly at: number }>();
  for (const [index, line] of trace.split('\n').entries()) {
    const gap = line.indexOf(' ');
    const thread = line.slice(0, gap);
    let [text, at] = [line.slice(gap).trimStart(), index];
    if (text.endsWith(unfinished)) {
      begun.set(thread, { text: text.slice(0, -unfinished.length), at });
      continue;
    }
    if (text.startsWith('<... ')) {
      const first = begun.get(thread);
      if (first === undefined) continue;
      text = first.text + text.slice(text.indexOf(' resumed>') + ' resumed>'.length);
      ({ at } = first);
    }
    const [, name, args = '', result] = /^(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+)/s.exec(text) ?? [];
    if (name !== undefined) calls.push({ name, args, result: Number(result), begun: at, ended: index });
  }
  return calls;
}

/** The strings among the arguments of a call. */
export function stringsIn(args: string): Buffer[] {
  return [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) =>
    Buffer.from(text.replaceAll('\\x', ''), 'hex'),
  );
}
