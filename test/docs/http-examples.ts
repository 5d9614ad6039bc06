/** The calls that pages show in fenced `http` blocks: each request with its answer, and a server to try them on. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDirectory, withDirectory, writeFinished } from '../directory.js';
import { startHttpServer } from '../fronts/server-process.js';

interface Message {
  /** The method and the path, or the status. */
  readonly start: string;
  readonly headers: Readonly<Record<string, string>>;
  /** '' if there is none. */
  readonly body: string;
}

export interface Exchange {
  readonly request: Message;
  /** As it is shown: `"…"` stands for any text, and headers that are not shown may be there. */
  readonly answer: Message;
}

/** The exchanges of each block, in order. Messages are separated by empty lines; requests and answers take turns. */
export function httpBlocks(text: string): Exchange[][] {
  return [...text.matchAll(/^```http\n([^]*?)^```$/gm)].map(([, block = '']) => {
    const messages = block.trim().split(/\n\n/).map(messageOf);
    assert.ok(messages.length % 2 === 0, `a request without an answer: ${block}`);
    return messages.flatMap((request, index) => {
      const answer = messages[index + 1];
      return index % 2 === 0 && answer !== undefined ? [{ request, answer }] : [];
    });
  });
}

function messageOf(text: string): Message {
  const [start = '', ...lines] = text.split('\n');
  const isHeader = (line: string): boolean => /^[A-Z][\w-]*: /.test(line);
  const firstOfBody = lines.findIndex((line) => !isHeader(line));
  const headers = firstOfBody < 0 ? lines : lines.slice(0, firstOfBody);
  return {
    start,
    headers: Object.fromEntries(
      headers.map((line): [string, string] => [/^[^:]*/.exec(line)?.[0] ?? '', line.replace(/^.*?: /, '')]),
    ),
    body: firstOfBody < 0 ? '' : lines.slice(firstOfBody).join('\n'),
  };
}

/** What the examples of the pages begin with. */
export const startingFiles = { 'notes.txt': 'one\ntwo\nthree\n', 'drafts/plan.md': 'Plan A\n' };

/** Lend a server of all operations with these flags; `reset` puts its files back to what examples begin with. */
export async function withExampleServer(
  use: (url: string, reset: () => void) => Promise<void>,
  options: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await withDirectory({}, async (directory) => {
    const server = await startHttpServer(directory, { toolset: 'all', ...options });
    try {
      await use(server.url, () => {
        emptyDirectory(directory);
        mkdirSync(join(directory, 'drafts'));
        for (const [path, content] of Object.entries(startingFiles)) writeFinished(join(directory, path), content);
      });
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });
}

/** Make the request, and fail unless the answer is the one that is shown. */
export async function assertAnswered(url: string, { request, answer }: Exchange): Promise<void> {
  const response = await send(url, request);
  const body = await response.text();
  const shown = `${request.start} ${request.body}: ${body}`;
  assert.equal(String(response.status), answer.start, shown);
  for (const [name, value] of Object.entries(answer.headers)) {
    assert.ok(value === '…' || response.headers.get(name) === value, `${name}: ${String(response.headers.get(name))}`);
  }
  if (answer.body === '') return;
  const actual: unknown = JSON.parse(body);
  const expected: unknown = JSON.parse(answer.body);
  assert.deepEqual(withoutWhatDiffers(actual, expected), expected, shown);
}

function send(url: string, { start, headers, body }: Message): Promise<Response> {
  const [method = '', path = ''] = start.split(' ');
  if (body === '') return fetch(url + path, { method, headers });
  return fetch(url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(JSON.parse(body)),
  });
}

/** A copy in which texts are `…` where those that are shown are. */
function withoutWhatDiffers(actual: unknown, shown: unknown): unknown {
  if (shown === '…') return typeof actual === 'string' || typeof actual === 'number' ? shown : actual;
  if (Array.isArray(actual) && Array.isArray(shown)) {
    return actual.map((item: unknown, index) => withoutWhatDiffers(item, shown[index]));
  }
  if (typeof actual !== 'object' || actual === null || typeof shown !== 'object' || shown === null) return actual;
  return Object.fromEntries(
    Object.entries(actual).map(([name, value]: [string, unknown]) => [
      name,
      withoutWhatDiffers(value, Reflect.get(shown, name)),
    ]),
  );
}
