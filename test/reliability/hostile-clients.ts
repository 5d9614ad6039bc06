/**
 * Clients that try to bring an HTTP server down. None may cost others their answers, reach an operation with half a
 * request, or leave anything behind (spec 6, 7).
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../fronts/server-process.js';
import { request } from '../transports/http/harness.js';
import { httpClient } from './client.js';
import { randomFrom } from './random.js';

export interface Target {
  readonly process: ServerProcess;
  readonly url: string;
}

/** Text of a.txt, which must not change; large.txt is for reading. */
export const untouched = 'one\ntwo\n';

const megabyte = 1_048_576;
const answerMs = 30_000;

/** Chunks that a connection sends, and what it does afterwards. */
interface Attack {
  readonly pieces: Iterable<Buffer>;
  /** Milliseconds between the chunks. */
  readonly pauseMs?: number;
  /** Whether it reads; otherwise answers stay in the kernel's buffers. */
  readonly reads?: boolean;
}

function edit(text: string): string {
  return JSON.stringify({ name: 'a.txt', append: text });
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const post = (operation: string, body: string): Buffer => bytes(request(`/${operation}`, body));

function* repeated(start: Buffer, piece: Buffer, times: number): Iterable<Buffer> {
  yield start;
  for (let index = 0; index < times; index++) yield piece;
}

/** A request line, then headers without end. */
function headerFlood(index: number): Attack {
  const line = index % 2 === 0 ? `X-${'a'.repeat(50)}: ${'b'.repeat(1000)}\r\n` : 'X: y\r\n';
  return { pieces: repeated(bytes('POST /edit_file HTTP/1.1\r\nHost: localhost\r\n'), bytes(line.repeat(60)), 200) };
}

/** A head or a body, one byte at a time. */
function dripping(index: number): Attack {
  const whole = post('edit_file', edit('x'));
  const start = index % 2 === 0 ? 10 : whole.length - 20;
  return { pieces: repeated(whole.subarray(0, start), whole.subarray(start, start + 1), 5), pauseMs: 300 };
}

/** An upload cut off after some tenths of it. */
function abortedUpload(index: number): Attack {
  const whole = post('edit_file', edit('x'.repeat(300_000)));
  return { pieces: [whole.subarray(0, Math.floor(((whole.length - 1) * ((index % 10) + 1)) / 10))] };
}

function stoppedReader(): Attack {
  return { pieces: [post('read_file', JSON.stringify({ name: 'large.txt' }))], reads: false };
}

/** Documents that take long to parse, or to refuse. */
const documents: readonly string[] = [
  '['.repeat(100_000) + ']'.repeat(100_000),
  '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000),
  `{"name":"a.txt","edits":[${'1,'.repeat(500_000)}1]}`,
  `{"name":"a.txt","edits":[${'{},'.repeat(30_000)}{}]}`,
  `{${Array.from({ length: 100_000 }, (_, index) => `"k${String(index)}":1`).join(',')}}`,
  `{"name":"${'a'.repeat(megabyte)}"}`,
  `{"name":"a.txt","append":"${'\\ud800'.repeat(100_000)}"}`,
  `{"name":"a.txt","append":"${'x'.repeat(megabyte)}`,
  '"'.repeat(megabyte),
  `{"name":"a.txt","edits":[{"line":1e400,"operation":"delete"}]}`,
  `{"__proto__":{"name":"a.txt"},"constructor":{"prototype":{"polluted":1}}}`,
];

function dearDocument(index: number): Attack {
  return { pieces: [post('edit_file', documents[index % documents.length] ?? '')] };
}

/** Random bytes that may contain the start of a request. */
function garbage(index: number): Attack {
  const random = randomFrom(index);
  const noise = Buffer.from(Array.from({ length: random.between(1, 600) }, () => random.between(0, 255)));
  const start = random.pick([
    '',
    'POST /edit_file HTTP/1.1\r\n',
    'POST /edit_file HTTP/1.1\r\nHost: localhost\r\n',
    '\x16\x03\x01',
  ]);
  return { pieces: [Buffer.concat([bytes(start), noise, bytes('\r\n\r\n')])] };
}

function idle(index: number): Attack {
  return { pieces: index % 2 === 0 ? [] : [bytes('POST /edit_file HT')] };
}

export const attacks: Readonly<Record<string, (index: number) => Attack>> = {
  'floods of headers': headerFlood,
  'bytes that drip': dripping,
  'aborted uploads': abortedUpload,
  'readers that stop reading': stoppedReader,
  'documents that are dear to read': dearDocument,
  noise: garbage,
  'idle connections': idle,
};

/** A process's resources. */
export interface Held {
  readonly descriptors: number;
  /** Resident memory, in MB. */
  readonly memoryMb: number;
}

export function heldBy({ child }: ServerProcess): Held {
  const place = `/proc/${String(child.pid)}`;
  const [, kilobytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`${place}/status`, 'utf8')) ?? [];
  return { descriptors: readdirSync(`${place}/fd`).length, memoryMb: Math.round(Number(kilobytes) / 1024) };
}

/**
 * Attack with `count` concurrent numbered connections while making calls like an ordinary client.
 * @returns the longest such call, in milliseconds
 * @throws AssertionError if one was not answered, or the server has exited
 */
export async function attackWith(target: Target, attack: (index: number) => Attack, count: number): Promise<number> {
  const { hostname, port } = new URL(target.url);
  const sockets: Socket[] = [];
  const sent: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const socket = connect({ port: Number(port), host: hostname });
    // The listen backlog is 511.
    if (index % 200 === 199) await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
    socket.on('error', () => undefined);
    sockets.push(socket);
    sent.push(send(socket, attack(index)));
  }
  let worst = await callsAreAnswered(target);
  await Promise.all(sent);
  worst = Math.max(worst, await callsAreAnswered(target));
  for (const socket of sockets) socket.destroy();
  assert.equal(target.process.child.exitCode, null, target.process.errors());
  return worst;
}

async function send(socket: Socket, { pieces, pauseMs = 0, reads = true }: Attack): Promise<void> {
  if (reads) socket.resume();
  const closed = new Promise<void>((resolve) => socket.once('close', resolve));
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) return;
    const taken = new Promise<void>((resolve) => {
      socket.write(piece, () => {
        resolve();
      });
    });
    await Promise.race([taken, closed, sleep(answerMs, undefined, { ref: false })]);
    if (pauseMs > 0) await sleep(pauseMs);
  }
}

/**
 * On a new connection, in milliseconds. On a machine so busy that this process sends its request too late, the server
 * has ended the connection: then on another one.
 */
async function callsAreAnswered({ url }: Target): Promise<number> {
  const client = httpClient(url, 1);
  const began = performance.now();
  const call = (): ReturnType<typeof client.call> => client.call('read_file', { name: 'a.txt' });
  try {
    const reply = await Promise.race([
      call().then((first) => (first.kind === 'unanswered' ? call() : first)),
      sleep(answerMs, undefined, { ref: false }),
    ]);
    assert.ok(reply?.kind === 'done' && reply.result['content'] === untouched.trimEnd(), JSON.stringify(reply));
  } finally {
    client.close();
  }
  return Math.round(performance.now() - began);
}

/**
 * Wait until the server holds no more descriptors than before and hardly more memory: idle resources are released after
 * 8 s.
 * @returns what it holds then, or after at most a minute
 */
export async function heldAtRest(target: Target, before: Held, moreMb: number): Promise<Held> {
  for (let tries = 0; ; tries++) {
    const held = heldBy(target.process);
    if (tries === 120 || (held.descriptors <= before.descriptors && held.memoryMb <= before.memoryMb + moreMb))
      return held;
    await sleep(500);
  }
}
