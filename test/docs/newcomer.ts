/** What newcomers read, and what its commands do when pasted into a shell in an empty folder. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withDirectory } from '../directory.js';
import { cli, freePort } from '../fronts/server-process.js';

const execute = promisify(execFile);
const repository = new URL('../../', import.meta.url);

export interface Page {
  readonly name: string;
  readonly text: string;
}

/** Everything in docs and above it, but for what is past. */
export const pages: readonly Page[] = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docs()].map(
  (name) => ({
    name,
    text: readFileSync(new URL(name, repository), 'utf8'),
  }),
);

function docs(): string[] {
  return readdirSync(new URL('docs', repository))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
}

export function page(name: string): string {
  const found = pages.find((each) => each.name === name);
  assert.ok(found, name);
  return found.text;
}

/** The contents of fenced blocks for a shell. */
export function shellBlocks(text: string): string[] {
  return fencedBlocks(text, 'sh|bash');
}

/** The contents of fenced blocks. @param language a pattern of what they begin with */
export function fencedBlocks(text: string, language: string): string[] {
  const blocks = text.matchAll(new RegExp(`^( *)\`\`\`(?:${language})\\n([^]*?)^\\1\`\`\`$`, 'gm'));
  return Array.from(blocks, ([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** The code between backticks, within a line. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

export interface Outcome {
  readonly stdout: string;
  /** What is in the folder afterwards. */
  readonly left: readonly string[];
}

/**
 * Run commands with bash in a new, empty folder. `file-editor` is the built command, on a port of its own, which replaces
 * 8080 in the commands. Fails if one of them does, or if a server is still running at the end.
 */
export async function runInEmptyFolder(commands: string): Promise<Outcome> {
  const port = String(await freePort());
  return withDirectory({}, async (directory) => {
    const [bin, folder, started] = ['bin', 'folder', 'started'].map((name) => join(directory, name));
    assert.ok(bin !== undefined && folder !== undefined && started !== undefined);
    for (const each of [bin, folder, started]) mkdirSync(each);
    const program = `#!/bin/sh
[ "$1" = token ] || { : > '${started}'/$$; set -- --port=${port} "$@"; }
exec '${process.execPath}' '${cli}' "$@"
`;
    writeFileSync(join(bin, 'file-editor'), program, { mode: 0o755 });
    const { stdout } = await execute('bash', ['-euo', 'pipefail', '-c', commands.replaceAll(':8080', `:${port}`)], {
      cwd: folder,
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: directory },
      timeout: 60_000,
    });
    for (const pid of readdirSync(started)) await ended(Number(pid));
    return { stdout, left: readdirSync(folder) };
  });
}

/**
 * The server of npm start, in a new folder, while `work` runs.
 * @returns what it has printed on stdout
 */
export async function withQuickStart(work: (port: string) => Promise<void>): Promise<string> {
  const port = String(await freePort());
  const start = fileURLToPath(new URL('dist/src/quick-start.js', repository));
  return withDirectory({}, async (directory) => {
    const server = spawn(process.execPath, [start, `--port=${port}`], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const printed = readAll(server.stdout);
    try {
      await once(server.stdout, 'data');
      await work(port);
    } finally {
      server.kill();
      await once(server, 'exit');
    }
    return printed;
  });
}

/** Matches a text in which `…` stands for anything, nothing included. */
export function matching(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^]*')}$`);
}

/** A server ends within 2 s (spec 1.1). */
async function ended(pid: number): Promise<void> {
  const giveUpAt = performance.now() + 10_000;
  while (isAlive(pid)) {
    assert.ok(performance.now() < giveUpAt, 'the commands leave a server running');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
