/**
 * `npm run prove -- soak`: agents call every operation over every front, while 1 % of events are faults. Every answer
 * and every file must be right, and the servers must hold no more resources at the end than at the start.
 *
 *   npm run prove -- soak [--operations=20000] [--agents=24]
 *
 * Prints the figures as JSON. Full disks need root, to mount a small file system, and are skipped otherwise.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withDirectory } from '../../directory.js';
import { Ledger } from '../../reliability/ledger.js';
import { randomFrom } from '../../reliability/random.js';
import { startServer, temporaryFiles, type Server } from '../../reliability/server.js';
import { cannotMount, withDisk } from '../../reliability/small-disk.js';
import { cutLog, Faults, type Scene } from './faults.js';
import { mcpClient, mcpOverHttp } from './fronts.js';
import { OwnFiles } from './own-files.js';
import { holdingsOf, MemoryCurve, type Holdings } from './vital-signs.js';

const { values } = parseArgs({
  options: { operations: { type: 'string', default: '20000' }, agents: { type: 'string', default: '24' } },
});
const wanted = Number(values.operations);
const warmUp = wanted / 5;
const samples = 400;
/** Number of progress reports. */
const reports = 50;
/** Below this growth, a slope means nothing. */
const fewOperations = 200_000;
/**
 * Megabytes that a million operations may add by the fit. Three servers of 180 MB, which move by 10 MB up and down, gave 0
 * to 11 in two runs, and ended with what they had after the first 20,000; one object kept of each operation would give 32.
 */
const mostGrowth = 20;
const options = { toolset: 'all', mcpLineBase: 1, mcpMaxChars: 0, logLevel: 'error' };
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0;
const random = randomFrom(seed);
console.error(`SEED=${String(seed)}`);

const deathsFolder = mkdtempSync(join(tmpdir(), 'file-editor-deaths-'));
const deaths = join(deathsFolder, 'death');
const imported = (path: string): string => `--import ${new URL(path, import.meta.url).href}`;

const unmountable = cannotMount();
if (unmountable !== false) console.error(`without full disks: ${unmountable}`);
try {
  if (unmountable === false) await withDisk((disk) => soak(join(disk, 'work'), disk), 'size=64m,nr_inodes=4096');
  else await withDirectory({}, (directory) => soak(join(directory, 'work'), undefined));
} finally {
  rmSync(deathsFolder, { recursive: true });
}

async function soak(directory: string, disk: string | undefined): Promise<void> {
  mkdirSync(directory);
  writeFileSync(join(directory, cutLog), '');
  process.env['DEATHS'] = deaths;
  const servers: Server[] = [];
  const start = async (transport: 'http' | 'stdio', ...modules: readonly string[]): Promise<Server> => {
    process.env['NODE_OPTIONS'] = ['./deaths.mjs', ...modules].map(imported).join(' ');
    const server = await startServer(transport, directory, options);
    servers.push(server);
    return server;
  };
  try {
    const own = await start('http');
    const plain = await start('http', '../../fronts/without-uws.mjs');
    const stdio = await start('stdio');
    const scene: Scene = { directory, disk, urls: [own.url, plain.url], deaths, cut: new Ledger(), random };
    await work(scene, [own, plain], stdio);
    for (const server of servers) {
      assert.equal(await server.process.stop(), 0, server.process.errors());
      assert.doesNotMatch(server.process.errors(), /uncaught|unhandled/i);
    }
  } finally {
    for (const server of servers) await server.kill();
  }
}

async function work(scene: Scene, http: readonly Server[], stdio: Server): Promise<void> {
  const began = performance.now();
  const pids = [...http, stdio].map(({ process: { child } }) => child.pid ?? 0);
  const curves = pids.map((pid) => new MemoryCurve(pid));
  const faults = new Faults(scene);
  const stream = stdio.connect();
  await stream.call('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'soak', version: '1' },
  });
  const agents = Array.from({ length: Number(values.agents) }, (_, number) => {
    const posts = http.map((server) => server.connect());
    const overStdio = [stream, mcpClient((method, params) => stream.call(method, params))];
    const own = new OwnFiles(`agent${String(number)}`, [...posts, ...posts.map(mcpOverHttp), ...overStdio], random);
    return { own, close: () => posts.forEach((client) => client.close()) };
  });
  const calls = (): number => agents.reduce((sum, { own }) => sum + own.calls, 0);

  let told = 0;
  const tell = (done: number): void => {
    if (done - told < wanted / reports) return;
    told = done;
    const memory = curves.map((curve) => curve.now().toFixed(0)).join(' ');
    console.error(
      `${String(done)} operations in ${String(Math.round((performance.now() - began) / 1000))} s; MB: ${memory}`,
    );
  };

  const workUntil = async (limit: number): Promise<void> => {
    let noted = calls();
    const striking: Promise<void>[] = [];
    await Promise.all(
      agents.map(async ({ own }) => {
        while (calls() < limit) {
          if (random.between(1, 100) === 1) striking.push(faults.strike());
          await own.act();
          if (calls() - noted < wanted / samples) continue;
          noted = calls();
          for (const curve of curves) curve.note(noted);
          tell(noted);
          // Detects rejected promises, and keeps fulfilled ones from filling the list.
          await Promise.all(striking.splice(0));
        }
      }),
    );
    await Promise.all(striking);
  };

  await workUntil(warmUp);
  const before = await atRest(pids);
  await workUntil(wanted);
  rmSync(`${deaths}.before`, { force: true });
  rmSync(`${deaths}.after`, { force: true });
  for (const { own } of agents) await own.verify();
  for (const { close } of agents) close();
  const after = await atRest(pids, before);
  for (const { own } of agents) {
    for (const [name, text] of own.texts) {
      assert.equal(text, await readFileIfThere(join(scene.directory, name)), name);
    }
  }
  scene.cut.check(join(scene.directory, cutLog));
  assert.deepEqual(temporaryFiles(scene.directory), []);
  const growth = curves.map((curve) => curve.fit(warmUp));
  console.log(
    JSON.stringify(
      {
        operations: calls(),
        hindered: agents.reduce((sum, { own }) => sum + own.hindered, 0),
        faults: Object.fromEntries(faults.counts),
        files: agents.length * 3,
        seconds: Math.round((performance.now() - began) / 1000),
        servers: ['http', 'http by node', 'stdio'].map((name, index) => ({
          name,
          atRest: { before: before[index], after: after[index] },
          memory: growth[index],
        })),
      },
      null,
      1,
    ),
  );
  assert.deepEqual(after, before, 'descriptors and threads are as many as before');
  if (wanted < fewOperations) return;
  for (const { slope } of growth) assert.ok(slope < mostGrowth, `memory grows by ${slope.toFixed(1)} MB in a million`);
}

/** After idle threads and connections are released, which takes 8 to 13 s; earlier if it matches `expected`. */
async function atRest(pids: readonly number[], expected?: readonly Holdings[]): Promise<Holdings[]> {
  const enough = 14_000;
  for (const until = performance.now() + (expected === undefined ? enough : 4 * enough); ;) {
    const now = pids.map(holdingsOf);
    if (performance.now() > until || JSON.stringify(now) === JSON.stringify(expected)) return now;
    await sleep(200);
  }
}

async function readFileIfThere(path: string): Promise<string | null> {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
