/**
 * Fails if the coverage of a room is below its minimum. Runs after the tests, on the output of c8 in coverage/raw, and
 * before c8 reads it: that is a gigabyte, which is removed while it is read, because c8 would read it again for no
 * report. The same source runs in two forms, bundled in dist/ by the server programs and directly by tests that import
 * it: a line is covered if it is covered in either.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { Coverage, type ScriptCoverage, type ScriptSources } from './covered-lines.js';

/** Minimum percentage of covered lines, by path prefix. */
const required: Readonly<Record<string, number>> = {
  'src/access/': 95,
  'src/call/validation/': 100,
  'src/core/operations.ts': 95,
  'src/core/schemas': 95,
  'workers/operations/': 95,
  'src/protocols/': 95,
  'src/protocols/mcp/tools/': 95,
  'src/transports/': 95,
  'workers/text/': 95,
  'workers/disk/lock/lock.ts': 90,
  'workers/commit/file-lock.ts': 90,
  'workers/changes/': 90,
  'src/pool/pool.ts': 90,
  'src/pool/threads.ts': 90,
  'src/pool/thread.ts': 90,
  'src/pool/shard.ts': 90,
  'src/pool/queues.ts': 90,
  'src/pool/pending-call.ts': 90,
  'src/': 90,
  'workers/': 90,
};

/** Runs when the validators are built, not in the server. */
const excluded = 'src/call/validation/compile.ts';
const raw = 'coverage/raw';

interface Collected {
  readonly result: readonly ScriptCoverage[];
  readonly 'source-map-cache'?: Readonly<Record<string, ScriptSources>>;
}

const coverage = new Coverage();
for (const name of readdirSync(raw)) {
  // Node itself writes these; a killed process leaves none.
  const collected = JSON.parse(readFileSync(`${raw}/${name}`, 'utf8')) as Collected;
  rmSync(`${raw}/${name}`);
  for (const script of collected.result) {
    const sources = collected['source-map-cache']?.[script.url];
    if (sources !== undefined && !script.url.includes('node_modules')) coverage.add(script, sources);
  }
}

const known = coverage.lines();
for (const [room, percent] of Object.entries(required)) {
  const files = [...known]
    .map(([path, lines]) => ({ file: relative('.', path), lines }))
    .filter(({ file }) => file.startsWith(room) && file.endsWith('.ts') && file !== excluded);
  const lines = files.flatMap(({ lines }) => [...lines.values()]);
  const reached = lines.length === 0 ? 0 : (100 * lines.filter(Boolean).length) / lines.length;
  const missed = reached < percent;
  console.log(`${missed ? 'MISSED' : 'ok    '} ${room.padEnd(24)} ${reached.toFixed(1)} % of ${String(percent)} %`);
  if (!missed) continue;
  process.exitCode = 1;
  for (const { file, lines: each } of files) {
    const open = [...each].filter(([, covered]) => !covered).map(([line]) => line);
    if (open.length > 0) console.log(`         ${file}: ${open.sort((a, b) => a - b).join(' ')}`);
  }
}
