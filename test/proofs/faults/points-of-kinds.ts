import { table } from '../../../bench/report/table.js';
import { withDirectory } from '../../directory.js';
import type { Transport } from '../../reliability/server.js';
import { allTogether } from './change-sets.js';
import { failAtEachPoint } from './error-points.js';
import type { Fault } from './errnos.js';
import { Findings } from './findings.js';
import { killAtEachPoint } from './kill-points.js';
import { Lane } from './lane.js';
import { recordedKinds, withHistory } from './recorded.js';
import { writeKinds, type WriteKind } from './write-kinds.js';

/** More would only wait for the processors. */
const lanes = 2;
/** One in so many points, in the short form. */
const sampled = 4;
/** Of the kinds with a history, those that stand for the others in the short form. */
const typical = [
  ...['edit', 'group of edits', 'create', 'delete', 'rename', 'changes: new directories and an edit', allTogether],
].map((each) => withHistory(each));

/**
 * Every kind of write, killed at each of its system calls and with each of them failing.
 * @param only the kinds whose name holds this
 * @param short of changes of several files and of those with a history, some kinds if none is chosen, and only some of
 *   the points and faults
 */
export async function breakEveryKind(
  only: string,
  faults: readonly Fault[],
  short: boolean,
): Promise<readonly Findings[]> {
  const isInShort = ({ name, isWhole, isRecorded }: WriteKind): boolean =>
    isRecorded === true ? typical.includes(name) : isWhole !== true || name === allTogether;
  const isChosen = (kind: WriteKind): boolean => (only === '' ? !short || isInShort(kind) : kind.name.includes(only));
  const chosen = [...writeKinds, ...recordedKinds].filter(isChosen);
  const done = new Map<WriteKind, Findings>();
  let ended = 0;
  // Slowest first, so no lane ends long before the other.
  const waiting = [...chosen].reverse();
  const work = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      const findings = new Findings(kind.name);
      done.set(kind, findings);
      const isCut = short && (kind.isWhole === true || kind.isRecorded === true);
      await withLane(kind, 'stdio', (lane) => killAtEachPoint(lane, findings, isCut ? sampled : 1));
      // HTTP has statuses to check; on stdio calls arrive together, as a group requires.
      const transport = kind.calls('').length > 1 ? 'stdio' : 'http';
      await withLane(kind, transport, (lane) =>
        failAtEachPoint(lane, isCut ? faults.slice(0, 1) : faults, findings, isCut ? sampled : 1),
      );
      process.stderr.write(`${String((ended += 1))} of ${String(chosen.length)} kinds: ${findings.row.join(', ')}\n`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return chosen.flatMap((kind) => done.get(kind) ?? []);
}

async function withLane(kind: WriteKind, transport: Transport, use: (lane: Lane) => Promise<void>): Promise<void> {
  await withDirectory({}, async (directory) => {
    const lane = new Lane(kind, directory, transport);
    try {
      await use(lane);
    } finally {
      await lane.end();
    }
  });
}

export function pointsTable(findings: readonly Findings[]): string {
  const rows = findings.map(({ row }) => row);
  const total = rows.reduce((sum, [, ...figures]) => sum.map((each, i) => each + Number(figures[i])), [0, 0, 0, 0]);
  return table(
    ['kind of write', 'system calls', 'kills', 'errors', 'violations'],
    [...rows, ['all', ...total]].map((row) => row.map(String)),
  );
}
