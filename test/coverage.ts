/** Fails if a room is covered less than it must be; run after c8 has written coverage/coverage-summary.json. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Percent of lines that must be covered, by the path a file starts with. */
const required: Readonly<Record<string, number>> = {
  'src/validation/': 100,
  'src/operations.ts': 95,
  'workers/operations/': 95,
  'src/protocols/': 95,
  'src/transports/': 95,
  'workers/disk/lock.ts': 90,
  'workers/file-lock.ts': 90,
  'src/pool.ts': 90,
  'src/shard.ts': 90,
  'src/gate.ts': 90,
  'src/file-queues.ts': 90,
  'src/pending-call.ts': 90,
};

interface Lines {
  readonly total: number;
  readonly covered: number;
}

function linesOf(entry: unknown): Lines {
  if (typeof entry === 'object' && entry !== null && 'lines' in entry) {
    const { lines } = entry;
    if (typeof lines === 'object' && lines !== null && 'total' in lines && 'covered' in lines) {
      return { total: Number(lines.total), covered: Number(lines.covered) };
    }
  }
  throw new Error('coverage-summary.json has an unexpected form');
}

const parsed: unknown = JSON.parse(readFileSync('coverage/coverage-summary.json', 'utf8'));
const files = Object.entries(parsed ?? {}).map(([path, entry]) => ({ path: relative('.', path), ...linesOf(entry) }));

for (const [room, percent] of Object.entries(required)) {
  const inRoom = files.filter(({ path }) => path.startsWith(room));
  const total = inRoom.reduce((sum, file) => sum + file.total, 0);
  const covered = inRoom.reduce((sum, file) => sum + file.covered, 0);
  const reached = total === 0 ? 0 : (100 * covered) / total;
  const missed = reached < percent;
  console.log(`${missed ? 'MISSED' : 'ok    '} ${room.padEnd(24)} ${reached.toFixed(1)} % of ${String(percent)} %`);
  if (missed) process.exitCode = 1;
}
