import assert from 'node:assert/strict';
import type { OperationName } from '../../src/core/operations.js';
import { flags, startHttpServer, startProgram } from './server-process.js';

/** A front's answer, in terms shared by all fronts. */
export type Answer =
  | { readonly ok: true; readonly result: Record<string, unknown>; /** To a model. */ readonly told?: string }
  | { readonly ok: false; readonly error: AnswerError; /** HTTP only. */ readonly status: number | undefined };

export interface AnswerError {
  readonly code: number;
  readonly message: string;
  readonly data: Record<string, unknown>;
}

/** A server that serves one directory, called through one front. */
export interface Session {
  call(operation: OperationName, params: unknown): Promise<Answer>;
  /** Ends the server. @returns its exit code */
  close(): Promise<number | null>;
}

export interface Front {
  readonly name: string;
  /**
   * For a front that speaks to models: its rendering of the result that a case expects. A failure is rendered as its
   * message and, unless the protocol itself failed, `data.details`; the rest of an AnswerError has no meaning there.
   */
  tells?(operation: string, result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  open(directory: string, options: Readonly<Record<string, unknown>>): Promise<Session>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function errorOf(value: unknown): AnswerError {
  assert.ok(isRecord(value), 'the error is an object');
  const { code, message, data } = value;
  assert.ok(typeof code === 'number' && typeof message === 'string' && isRecord(data), 'the error has its members');
  return { code, message, data };
}

/** Also for readers that end a line at more than `\n`. */
function assertOneLine(answer: string): void {
  assert.doesNotMatch(answer, /[\u2028\u2029]/);
}

export function rest(name: string, settings: { nodeListener?: boolean; cacheMb?: number }): Front {
  const { nodeListener = false, ...always } = settings;
  return {
    name,
    open: async (directory, options) => {
      const server = await startHttpServer(directory, { ...always, ...options }, { nodeListener });
      return {
        call: async (operation, params) => {
          const response = await fetch(`${server.url}/${operation}`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json; charset=utf-8' },
            body: JSON.stringify(params),
          });
          assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
          const text = await response.text();
          assertOneLine(text);
          const body: unknown = JSON.parse(text);
          assert.ok(isRecord(body));
          if (response.status === 200) return { ok: true, result: body };
          return { ok: false, error: errorOf(body['error']), status: response.status };
        },
        close: () => server.stop(),
      };
    },
  };
}

export const stdio: Front = {
  name: 'JSON-RPC over stdio',
  open: (directory, options) => {
    const server = startProgram([`--dir=${directory}`, '--transport=stdio', '--log-level=warn', ...flags(options)]);
    const waiting = new Map<unknown, (message: Record<string, unknown>) => void>();
    server.lines.on('line', (line) => {
      assertOneLine(line);
      const message: unknown = JSON.parse(line);
      assert.ok(isRecord(message));
      waiting.get(message['id'])?.(message);
      waiting.delete(message['id']);
    });
    let lastId = 0;
    return Promise.resolve({
      call: async (operation, params) => {
        const id = ++lastId;
        const message = await new Promise<Record<string, unknown>>((resolve) => {
          waiting.set(id, resolve);
          server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: operation, params })}\n`);
        });
        assert.equal(message['jsonrpc'], '2.0');
        const { result } = message;
        if (isRecord(result)) return { ok: true, result };
        return { ok: false, error: errorOf(message['error']), status: undefined };
      },
      close: async () => {
        server.stdin.end();
        await new Promise((resolve) => server.child.once('exit', resolve));
        return server.child.exitCode;
      },
    });
  },
};

/** Every way to reach an operation. */
export const fronts: readonly Front[] = [
  rest('REST', {}),
  rest('REST on node:http, without a cache', { nodeListener: true, cacheMb: 0 }),
  stdio,
];
