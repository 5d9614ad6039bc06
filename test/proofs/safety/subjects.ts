/** The compared subjects: servers that agents use for edits, and libraries for writing files. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patienceMs, run, type Running } from '../../../bench/programs/program.js';
import { mcpDialect, ownMcpDialect, type Dialect } from '../../../bench/subjects/stdio-dialects.js';
import { StdioTalk } from '../../../bench/subjects/stdio-talk.js';

export interface Subject {
  readonly name: string;
  /** It finds the text itself, and supports requests that a library does not. */
  readonly isServer: boolean;
  readonly dialect: Dialect;
}

/** A subject's process that edits files in a directory. */
export interface Editor {
  readonly pid: number;
  /** Replace a text in the file. @returns the reason if it was refused */
  readonly replace: (name: string, from: string, to: string) => Promise<string | undefined>;
}

const libraryEditor = fileURLToPath(new URL('library-editor.ts', import.meta.url));

function library(name: string): Subject {
  return {
    name,
    isServer: false,
    dialect: {
      // Loaded as this program was.
      program: { name, args: () => [...process.execArgv, libraryEditor, name] },
      handshake: () => Promise.resolve(),
      read: () => writesOnly(),
      list: () => writesOnly(),
      edit: (directory, changes) => ({
        method: 'edit',
        params: { path: join(directory, changes[0]?.name ?? ''), changes },
      }),
    },
  };
}

function writesOnly(): never {
  throw new Error('a library writes only');
}

export const ownServer: Subject = { name: 'this server', isServer: true, dialect: ownMcpDialect() };

export const subjects: readonly Subject[] = [
  ownServer,
  { name: 'MCP server-filesystem', isServer: true, dialect: mcpDialect },
  library('write-file-atomic'),
  library('atomically'),
  library('fs.writeFile'),
];

/** Lend a process of it. */
export async function withEditor<Result>(
  { dialect }: Subject,
  directory: string,
  use: (editor: Editor) => Promise<Result>,
): Promise<Result> {
  const running = run(dialect.program, { directory, port: 0, answerBytes: 0 });
  try {
    const talk = new StdioTalk(running);
    await inTime(running, dialect.handshake(talk));
    return await use({
      pid: running.pid,
      replace: async (name, from, to) => {
        try {
          await inTime(running, talk.ask(dialect.edit(directory, [{ name, line: 1, from, to }])));
          return undefined;
        } catch (error) {
          return error instanceof Error ? error.message : String(error);
        }
      },
    });
  } finally {
    await running.stop();
  }
}

/** A missing answer is a broken run, not a refusal. */
async function inTime<Result>(running: Running, answer: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => {
    process.kill(running.pid, 'SIGKILL');
  }, 3 * patienceMs);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
