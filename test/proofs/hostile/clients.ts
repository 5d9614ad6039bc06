/** Thousands of hostile clients, one kind at a time: their cost to others, and what they leave behind. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDirectory } from '../../directory.js';
import { startHttpServer } from '../../fronts/server-process.js';
import { attacks, attackWith, heldAtRest, heldBy, untouched } from '../../reliability/hostile-clients.js';
import { kinds, pause } from '../../transports/http/harness.js';
import { say } from './report.js';

/**
 * Connections of each kind. Each stalled reader holds a 5 MB answer, and everyone waits until those that hold the whole
 * budget are cut off: 10 to 13 s for 50 of them. A document is up to 2 MB.
 */
const counts: Readonly<Record<string, number>> = {
  'floods of headers': 500,
  'bytes that drip': 1000,
  'aborted uploads': 2000,
  'readers that stop reading': 100,
  'documents that are dear to read': 220,
  noise: 5000,
  'idle connections': 10_000,
};
/** Beyond the connections themselves. */
const ownDescriptors = 500;
/** Memory that a used heap may keep. */
const slackMb = 64;

/**
 * The glibc allocator keeps freed memory for reuse, up to the peak; with that off, RSS shows what the server itself
 * keeps.
 */
const givesBack = { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '65536' };

/** @throws AssertionError if other clients were not answered, or anything was changed or left behind */
export async function hostileClients(): Promise<void> {
  Object.assign(process.env, givesBack);
  for (const kind of kinds) {
    await withDirectory({ 'a.txt': untouched, 'large.txt': 'x'.repeat(5_000_000) }, async (directory) => {
      const server = await startHttpServer(directory, { durability: 'none' }, { nodeListener: kind === 'node' });
      const target = { process: server, url: server.url };
      // The first round covers one-time allocations and descriptors.
      for (const attack of Object.values(attacks)) await attackWith(target, attack, 20);
      await pause(20_000);
      const before = heldBy(server);
      for (const [name, attack] of Object.entries(attacks)) {
        const count = Math.min(counts[name] ?? 100, spareDescriptors());
        const worstMs = await attackWith(target, attack, count);
        const peak = heldBy(server);
        const after = await heldAtRest(target, before, slackMb);
        const cost = `an ordinary call took ${String(worstMs)} ms at most`;
        const memory = `${String(before.memoryMb)} MB before, ${String(peak.memoryMb)} then, ${String(after.memoryMb)} at rest`;
        say(`${String(count)} ${name} (${kind})`, `${cost}; ${memory}; ${String(after.descriptors)} descriptors`);
        assert.ok(after.descriptors <= before.descriptors, 'descriptors were left');
        assert.ok(after.memoryMb <= before.memoryMb + slackMb, 'memory was left');
        assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), untouched);
      }
      assert.equal(await server.stop(), 0);
      assert.doesNotMatch(server.errors(), /"level":"(?:error|fatal)"/);
    });
  }
}

/** Descriptor limit of both processes; a client takes one in each. */
function spareDescriptors(): number {
  const limit = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }));
  return Number.isFinite(limit) ? limit - ownDescriptors : Infinity;
}
