/**
 * Fails if a room is covered less than it must be; run after the suite, on what c8 has collected in coverage/raw.
 *
 * The same source is run in two forms: bundled in dist/ by the server programs, and alone by tests that import it.
 * A line is covered if it is in either. Reports of c8 itself do not see that, and count every line of a
 * file as covered that was translated to one line.
 */
import { CoverageReport } from 'monocart-coverage-reports';

/** Percent of lines that must be covered, by the path a file starts with. */
const required: Readonly<Record<string, number>> = {
  'src/validation/': 100,
  'src/operations.ts': 95,
  'workers/operations/': 95,
  'src/protocols/': 95,
  'src/transports/': 95,
  'workers/text/': 95,
  'workers/disk/lock.ts': 90,
  'workers/file-lock.ts': 90,
  'src/pool.ts': 90,
  'src/shard.ts': 90,
  'src/gate.ts': 90,
  'src/file-queues.ts': 90,
  'src/pending-call.ts': 90,
  'src/': 90,
  'workers/': 90,
};

/** Run when the validators are made, and the validators that were made. */
const excluded = ['src/validation/compile.ts', 'src/validation/compiled.js'];
const isSource = (path: string): boolean => /^(src|workers)\/.*\.ts$/.test(path) && !excluded.includes(path);

/** By file: each line that can be covered, and whether it is. */
const coverage = new Map<string, Map<number, boolean>>();

await collect(/\/dist\/(src|workers)\/.*\.js$/);
await collect(/\/(src|workers)\/.*\.ts$/);
report();

async function collect(entries: RegExp): Promise<void> {
  const collected = new CoverageReport({
    logging: 'off',
    outputDir: 'coverage/report',
    reports: ['v8-json'],
    entryFilter: ({ url }) => entries.test(url) && !url.includes('node_modules'),
    sourceFilter: isSource,
  });
  await collected.addFromDir('coverage/raw');
  const results = await collected.generate();
  for (const file of results?.files ?? []) {
    if (!('sourcePath' in file) || file.data === undefined) continue;
    const lines = coverage.get(file.sourcePath) ?? new Map<number, boolean>();
    coverage.set(file.sourcePath, lines);
    // Zero, a count, or a fraction such as "1/2" of the branches that begin in it.
    for (const [line, count] of Object.entries(file.data.lines ?? {})) {
      lines.set(Number(line), lines.get(Number(line)) === true || count !== 0);
    }
  }
}

function report(): void {
  if (coverage.size === 0) throw new Error('nothing was collected: run the suite under c8 first');
  for (const [room, percent] of Object.entries(required)) {
    const files = [...coverage].filter(([file]) => file.startsWith(room));
    const lines = files.flatMap(([, each]) => [...each.values()]);
    const reached = lines.length === 0 ? 0 : (100 * lines.filter(Boolean).length) / lines.length;
    const missed = reached < percent;
    console.log(`${missed ? 'MISSED' : 'ok    '} ${room.padEnd(24)} ${reached.toFixed(1)} % of ${String(percent)} %`);
    if (!missed) continue;
    process.exitCode = 1;
    for (const [file, each] of files) {
      const open = [...each].filter(([, covered]) => !covered).map(([line]) => line);
      if (open.length > 0) console.log(`         ${file}: ${open.sort((a, b) => a - b).join(' ')}`);
    }
  }
}
