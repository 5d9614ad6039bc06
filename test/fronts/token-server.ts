/** A server program with tokens (spec 16), and calls by their names. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { withDirectory } from '../directory.js';
import { startHttpServer, type HttpServer } from './server-process.js';

/** What the tokens allow, by their names. */
export type Allowed = Readonly<
  Record<
    string,
    {
      readonly access?: 'read' | 'write';
      readonly paths?: readonly string[];
      readonly write?: readonly string[];
      readonly sha256?: readonly string[];
    }
  >
>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface TokenServer extends HttpServer {
  readonly directory: string;
  /** Call an operation. @param name of the token; undefined: none */
  readonly call: (
    name: string | undefined,
    operation: string,
    params: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Reply>;
  /** A text for the file of tokens, or what they allow; then SIGHUP. @returns the line of the log about it */
  readonly reload: (file: Allowed | string) => Promise<string>;
}

/** The token of this name. */
export function tokenOf(name: string): string {
  return `secret-of-${encodeURIComponent(name)}`;
}

export function hashOfToken(name: string): string {
  return createHash('sha256').update(tokenOf(name)).digest('hex');
}

function fileOf(tokens: Allowed): string {
  const list = Object.entries(tokens).map(([name, allowed]) => ({
    name,
    sha256: hashOfToken(name),
    access: 'write',
    ...allowed,
  }));
  return JSON.stringify({ tokens: list });
}

interface Settings {
  readonly nodeListener?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Changes the directory before the server starts. */
  readonly prepare?: (directory: string) => void;
}

/** Lend such a server, on a new directory with these files. */
export function withTokenServer(
  files: Readonly<Record<string, string>>,
  tokens: Allowed,
  use: (server: TokenServer) => Promise<void>,
  { nodeListener = false, options = {}, prepare }: Settings = {},
): Promise<void> {
  return withDirectory(files, async (directory) => {
    prepare?.(directory);
    const beside = mkdtempSync(join(tmpdir(), 'file-editor-tokens-'));
    const file = join(beside, 'tokens.json');
    writeFileSync(file, fileOf(tokens), { mode: 0o600 });
    let server: HttpServer | undefined;
    try {
      const given = { toolset: 'all', logLevel: 'trace', tokens: file, workers: 1, ...options };
      const started = await startHttpServer(directory, given, { nodeListener });
      server = started;
      await use({ ...started, directory, call: callsOf(started.url), reload: reloadOf(started, file) });
    } finally {
      await server?.stop();
      rmSync(beside, { recursive: true });
    }
  });
}

/** Lend such a server to the tests of a suite. @returns how they get it */
export function lendTokenServer(...[files, tokens, settings]: Lent): () => TokenServer {
  let lent: TokenServer | undefined;
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  let ended: Promise<void>;
  before(
    () =>
      new Promise<void>((ready, failed) => {
        const use = (server: TokenServer): Promise<void> => {
          lent = server;
          ready();
          return over;
        };
        ended = withTokenServer(files, tokens, use, settings);
        ended.catch(failed);
      }),
  );
  after(() => {
    end();
    return ended;
  });
  return () => {
    assert.ok(lent !== undefined);
    return lent;
  };
}

type Lent = [files: Readonly<Record<string, string>>, tokens: Allowed, settings?: Settings];

function callsOf(url: string): TokenServer['call'] {
  return async (name, operation, params, headers = {}) => {
    const response = await fetch(`${url}/${operation}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(name === undefined ? {} : { Authorization: `Bearer ${tokenOf(name)}` }),
        ...headers,
      },
      body: JSON.stringify(params),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

const aboutReload = /^.*(?:the tokens were read again|the file of tokens was refused).*$/gm;

function reloadOf(server: HttpServer, file: string): TokenServer['reload'] {
  const lines = (): readonly string[] => server.errors().match(aboutReload) ?? [];
  return async (next) => {
    const before = lines().length;
    writeFileSync(file, typeof next === 'string' ? next : fileOf(next));
    server.child.kill('SIGHUP');
    for (;;) {
      const line = lines()[before];
      if (line !== undefined) return line;
      await new Promise((resolve) => server.child.stderr?.once('data', resolve));
    }
  };
}

/** Leave nothing in a directory but these files and links. @param links targets by path */
export function fill(
  directory: string,
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>>,
): void {
  for (const name of readdirSync(directory)) {
    if (name !== '.file-editor') rmSync(join(directory, name), { recursive: true });
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(directory, path));
}
