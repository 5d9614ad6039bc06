/**
 * As many calls waiting for a locked file as a client can send: the server stops reading before they fill its memory.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../../directory.js';
import { startHttpServer, startProgram, type ServerProcess } from '../../fronts/server-process.js';
import { heldBy } from '../../reliability/hostile-clients.js';
import { withHolder } from '../../reliability/lock-holder.js';
import { kinds, request } from '../../transports/http/harness.js';
import { say } from './report.js';

/** Memory limit of waiting calls, as the server counts it (spec 6). */
const budgetMb = 256;
/** The server itself and uncollected garbage. */
const slackMb = 384;
/** An attack ends once the server has read nothing for this long. */
const stillMs = 8_000;
const longestMs = 90_000;
const options = { toolset: 'all', timeout: 60 };

const call = (id: number): string =>
  `{"jsonrpc":"2.0","id":${String(id)},"method":"edit_file","params":{"name":"a.txt","append":"x"}}`;
const toolCall = (id: number): string =>
  `{"jsonrpc":"2.0","id":${String(id)},"method":"tools/call","params":{"name":"edit_file","arguments":{"name":"a.txt","append":"x"}}}`;
const batch = (calls: number, one: (id: number) => string): string =>
  `[${Array.from({ length: calls }, (_, id) => one(id)).join(',')}]`;

/** @throws AssertionError if a server's memory exceeds the sum of its limits */
export async function backpressure(): Promise<void> {
  const lines: Readonly<Record<string, string>> = {
    'single edits over stdio': `${Array.from({ length: 1000 }, (_, id) => call(id)).join('\n')}\n`,
    'batches of 2000 edits over stdio': `${batch(2000, call)}\n`,
    'edits of 10 MB over stdio': `${call(1).replace('"x"', `"${'x'.repeat(10_000_000)}"`)}\n`,
  };
  for (const [name, text] of Object.entries(lines)) await attack(name, (directory) => overStdio(directory, text));
  const bodies: Readonly<Record<string, string>> = {
    'edits of 10 MB': request('/edit_file', JSON.stringify({ name: 'a.txt', append: 'x'.repeat(10_000_000) })),
    'batches of 6000 edits': request('/mcp', batch(6000, toolCall)),
  };
  for (const kind of kinds) {
    for (const [name, bytes] of Object.entries(bodies)) {
      await attack(`${name} over HTTP (${kind})`, (directory) => overHttp(directory, kind === 'node', bytes));
    }
  }
}

interface Attacked {
  readonly process: ServerProcess;
  /** Bytes that the server read. */
  readonly taken: () => number;
}

async function attack(name: string, begin: (directory: string) => Promise<Attacked>): Promise<void> {
  await withDirectory({ 'a.txt': 'x\n' }, (directory) =>
    withHolder(directory, async () => {
      const { process: server, taken } = await begin(directory);
      const began = performance.now();
      let [peak, most, since] = [0, 0, began];
      for (let now = began; now - since < stillMs && now - began < longestMs; now = performance.now()) {
        peak = Math.max(peak, heldBy(server).memoryMb);
        if (taken() > most || most === 0) [most, since] = [taken(), now];
        await sleep(100);
      }
      server.child.kill('SIGKILL');
      say(name, `took ${String(Math.round(taken() / 1e6))} MB of them, ${String(peak)} MB at most in memory`);
      assert.ok(most > 0, 'the machine was too busy for any of it');
      assert.ok(peak <= budgetMb + slackMb, `${name}: ${String(peak)} MB`);
      assert.doesNotMatch(server.errors(), /"level":"(?:error|fatal)"/);
    }),
  );
}

async function overStdio(directory: string, text: string): Promise<Attacked> {
  const server = startProgram([
    `--dir=${directory}`,
    '--transport=stdio',
    '--toolset=all',
    '--timeout=60',
    '--log-level=warn',
  ]);
  server.stdin.on('error', () => undefined);
  let taken = 0;
  const bytes = Buffer.from(text);
  const feed = (): void => {
    server.stdin.write(bytes, (error) => {
      taken += bytes.length;
      if (error == null) feed();
    });
  };
  feed();
  return Promise.resolve({ process: server, taken: () => taken });
}

async function overHttp(directory: string, nodeListener: boolean, text: string): Promise<Attacked> {
  const server = await startHttpServer(directory, options, { nodeListener });
  const bytes = Buffer.from(text);
  let taken = 0;
  for (let index = 0; index < 400; index++) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(bytes, (error) => (taken += error == null ? bytes.length : 0));
  }
  return { process: server, taken: () => taken };
}
