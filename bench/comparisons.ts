/** The table of `npm run bench`: the measurements, their baselines, the required values and the targets. */
import {
  above,
  alone,
  comparison,
  figure,
  timesAsFast,
  timesAsMany,
  timesTheCost,
  type Comparison,
  type Compare,
  type Quantity,
  type Row,
  type Subject,
} from './figures.js';
import {
  appends,
  changes,
  edits,
  history,
  list,
  pace,
  read1KB,
  read1MB,
  search,
  stdio,
  view,
  window,
} from './measured.js';
import { editAllowance, peakMemory, readAllowance } from './subjects/peak-memory.js';
import type { BesideRipgrep } from './subjects/search.js';
import { idleAfterWork, idleBare, idleFresh, startOfNode, startOfServer } from './subjects/process-costs.js';

const reads = '1 KB reads, 1000 files, 10 clients';
const started = 'start until GET /health is answered';

/** Each line of rows: name, own, quantity, compare, baseline, must, aim. */
export const comparisons: readonly Comparison<Row>[] = [
  comparison('one agent', 5, [
    row('one agent: spawn to first result', pace.own, 'started', timesTheCost, pace.mcp, 0.5, 0.4),
    row('one agent: first call', pace.own, 'first', timesTheCost, pace.mcp, 3, 1.5),
    row('one agent: calls 2 to 50, reads', pace.own, 'earlyRead', timesTheCost, pace.mcp, 1, 0.8),
    row('one agent: calls 2 to 50, edits, not synced', pace.own, 'earlyEdit', timesTheCost, pace.mcp, 1.2, 0.9),
    row('one agent: warm reads', pace.own, 'warmRead', timesTheCost, pace.mcp, 0.9, 0.5),
    row('one agent: warm edits, not synced', pace.own, 'warmEdit', timesTheCost, pace.mcp, 0.9, 0.6),
    row('one agent: warm edits', pace.synced, 'warmEdit', timesTheCost, pace.mcp, 1.2, 0.9),
    row(
      'one agent: warm edits with --history, not synced',
      pace.withHistory,
      'warmEdit',
      timesTheCost,
      pace.own,
      1.15,
      1.1,
    ),
    row(
      'one agent: warm edits with --history',
      pace.syncedWithHistory,
      'warmEdit',
      timesTheCost,
      pace.synced,
      1.25,
      1.15,
    ),
  ]),
  comparison('one agent that thinks first', 3, [
    row('first call, after 3 s of thought: read', pace.thought, 'thoughtRead', timesTheCost, pace.mcpThought, 1, 0.6),
    row(
      'first call, after 3 s of thought: edit, not synced',
      pace.thought,
      'thoughtEdit',
      timesTheCost,
      pace.mcpThought,
      1,
      0.6,
    ),
    row('first call, after 3 s of thought: list', pace.thought, 'thoughtList', timesTheCost, pace.mcpThought, 1, 0.6),
  ]),
  comparison('one agent that pauses', 3, [
    row('after 10 s of thought: read', pace.paused, 'pausedRead', timesTheCost, pace.mcpPaused, 1.5, 1),
    row('after 10 s of thought: edit, not synced', pace.paused, 'pausedEdit', timesTheCost, pace.mcpPaused, 1.5, 1),
    row('after 10 s of thought: list of 200 files', pace.paused, 'pausedList', timesTheCost, pace.mcpPaused, 3, 1.5),
    row('after 10 s of thought: read over HTTP, of a warm one', pace.http, 'paused', alone, undefined, 4, 2),
    row('after 10 s of thought: read over HTTP', pace.http, 'pausedRead', alone, pace.httpConstant, 5, 2),
    row('first read over HTTP', pace.http, 'first', alone, pace.httpConstant, 5, 5),
  ]),
  comparison('memory of one agent', 1, [
    row('one agent: memory after 100 calls', pace.memory, 'mb', above, idleBare, 14, 10),
    row('one agent: memory 12 s after 100 calls', pace.memoryLater, 'mb', above, idleBare, 12, 10),
  ]),
  comparison('1 KB reads', 5, [
    row(reads, read1KB.own, 'rate', timesAsMany, read1KB.constant, 0.45, 0.55),
    row(reads, read1KB.own, 'rate', timesAsMany, read1KB.byHand, 7, 9),
    row(`${reads}, with a token`, read1KB.withToken, 'rate', timesAsMany, read1KB.own, 0.95, 1),
    row(`${reads}, with a token for some files`, read1KB.withPaths, 'rate', timesAsMany, read1KB.own, 0.95, 1),
    row(`${reads}, not cached`, read1KB.uncached, 'rate', timesAsMany, read1KB.byHand, 2.5, 4),
  ]),
  comparison('1 MB reads', 5, [
    row('1 MB reads, 10 clients, not cached', read1MB.uncached, 'rate', timesAsMany, read1MB.byHand, 6, 10),
    row('1 MB reads, 10 clients', read1MB.own, 'rate', timesAsMany, read1MB.nginx, 0.8, 2),
    row('1 MB reads, 10 clients, p99', read1MB.own, 'p99', alone, undefined, 50, 10),
    row('1 MB reads, 10 clients, not cached, p99', read1MB.uncached, 'p99', alone, undefined, 50, 10),
  ]),
  comparison('windows', 5, [
    row('10 lines of a 100 MB file, second touch', window.own, 'p50', timesTheCost, window.read1KB, 3, 1.5),
  ]),
  comparison('lists', 5, [
    row('list of 1000 files, nothing changed', list.unchanged, 'p50', alone, undefined, 4, 2.5),
    row('list of 1000 files, everything changed', list.changed, 'p50', alone, undefined, 15, 6),
  ]),
  comparison('edits', 5, [
    row('1 KB edits of 64 files, 32 clients', edits.own, 'rate', timesAsMany, edits.careful, 1, 2),
    row('1 KB edits of 64 files, 32 clients', edits.own, 'rate', timesAsMany, edits.byHand, 0.5, 1),
    row(
      '1 KB edits of 64 files, 32 clients, with --history',
      edits.withHistory,
      'rate',
      timesAsMany,
      edits.own,
      0.85,
      0.95,
    ),
  ]),
  comparison('appends', 5, [
    row('appends of 40 bytes to one file, 64 clients', appends.own, 'rate', timesAsMany, appends.careful, 3, 10),
  ]),
  comparison('stdio edits', 3, [
    row('1 MB edit, stdio', stdio.edit, 'p50', timesAsFast, stdio.mcpEdit, 6, 8),
    row('1 MB edit, stdio, not synced', stdio.editUnsynced, 'p50', timesAsFast, stdio.mcpEdit, 6, 12),
  ]),
  comparison('stdio reads', 3, [
    row('1 KB reads, stdio, 10 in flight', stdio.reads, 'rate', timesAsMany, stdio.mcpReads, 8, 15),
  ]),
  comparison('edits by text', 3, [
    row('apply_edits, 10 edits in 1 MB, stdio', stdio.tenEdits, 'p50', timesAsFast, stdio.mcpTenEdits, 6, 8),
    row(
      'apply_edits, 10 edits in 1 MB, not synced',
      stdio.tenEditsUnsynced,
      'p50',
      timesAsFast,
      stdio.mcpTenEdits,
      6,
      12,
    ),
    row('apply_edits, 1000 edits in 1 MB, stdio', stdio.thousandEdits, 'p50', alone, undefined, 100, 50),
  ]),
  comparison('changes of several files', 3, [
    row(
      '2 files of 4 KB in one call, of one call each',
      changes.two.together,
      'p50',
      timesTheCost,
      changes.two.oneByOne,
      1.5,
      1,
    ),
    row(
      '10 files of 4 KB in one call, of one call each',
      changes.ten.together,
      'p50',
      timesTheCost,
      changes.ten.oneByOne,
      0.7,
      0.3,
    ),
    row(
      '100 files of 4 KB in one call, of one call each',
      changes.hundred.together,
      'p50',
      timesTheCost,
      changes.hundred.oneByOne,
      0.7,
      0.3,
    ),
    row(
      '10 files of 4 KB in one call, of a careful writer',
      changes.ten.together,
      'p50',
      timesTheCost,
      changes.ten.careful,
      2.5,
      1,
    ),
  ]),
  comparison('history', 3, [
    row('history: last 50 of 100,000 changes, first call', history.lastChanges, 'first', alone, undefined, 10, 5),
    row('history: last 50 of 100,000 changes', history.lastChanges, 'p50', alone, undefined, 10, 3),
    row('history: first edit after 100,000 changes', history.firstEdit, 'first', alone, undefined, 500, 200),
  ]),
  comparison('memory with --history', 3, [
    row('idle memory with --history', history.idle, 'mb', timesTheCost, idleFresh, 1.02, 1.01),
    row('memory after 100 edits with --history', history.edited, 'mb', timesTheCost, history.editedWithout, 1.1, 1.05),
  ]),
  comparison('disk of --history', 1, [
    row(
      'disk of 10,000 edits of 10 KB with --history',
      history.tenThousandEdits.own,
      'mb',
      timesTheCost,
      history.tenThousandEdits.copies,
      1.3,
      1.25,
    ),
  ]),
  comparison('view', 3, [row('view of a directory of 1000 files', view, 'p50', alone, undefined, 5, 2)]),
  comparison('search', 5, [
    searched('rare literal, first touch', search.rare, 'first', 3, 1.5),
    searched('another literal, by a process at work', search.rare, 'other', 3, 1.5),
    searched('regex with a literal, first touch', search.withLiteral, 'first', 3, 1.5),
    searched('common word by file, first touch', search.word, 'first', 3, 1.5),
    searched('regex without a literal, first touch', search.withoutLiteral, 'first', 4, 2),
    searched('rare literal, again, nothing changed', search.rare, 'again', 1.5, 0.7),
    searched('rare literal, again, one file changed', search.rare, 'changed', 1.5, 0.7),
    searched('glob **/*.ts', search.names, 'first', 2, 1),
  ]),
  comparison('costs of search', 3, [
    row('1 KB reads by another client during searches, p99', search.reads, 'p99', alone, undefined, 20, 5),
    row('peak memory above idle, searches', search.memory, 'mb', alone, undefined, 100, 40),
  ]),
  comparison('lost edits', 3, [
    row('edits lost of 20 at once to one file, stdio', stdio.lost, 'lost', alone, stdio.mcpLost, 0, 0),
  ]),
  comparison('start', 15, [
    row(started, startOfServer, 'ms', alone, undefined, 100, 100),
    row(started, startOfServer, 'ms', timesTheCost, startOfNode, 1.8, 1.4),
  ]),
  comparison('start on stdio', 9, [
    row('start until initialize is answered', stdio.start, 'ms', alone, undefined, 110, 100),
    row('start until initialize is answered', stdio.start, 'ms', timesAsFast, stdio.mcpStart, 2.5, 3),
  ]),
  comparison('idle memory', 3, [
    row('idle memory, fresh', idleFresh, 'mb', above, idleBare, 12, 8),
    row('idle memory, 12 s after work', idleAfterWork, 'mb', above, idleBare, 20, 10),
  ]),
  comparison('peak memory', 3, [
    row('peak memory above idle, 10 MB read', peakMemory('read'), 'mb', timesTheCost, readAllowance, 1, 1),
    row('peak memory above idle, 10 MB edit', peakMemory('edit'), 'mb', timesTheCost, editAllowance, 1, 1),
  ]),
];

function searched(name: string, { own, ripgrep }: BesideRipgrep, quantity: Quantity, must: number, aim: number): Row {
  return row(`search: ${name}`, own, quantity, timesTheCost, ripgrep, must, aim);
}

function row(
  name: string,
  own: Subject,
  quantity: Quantity,
  compare: Compare,
  baseline: Subject | undefined,
  must: number,
  aim: number,
): Row {
  return { ...figure(name, own, quantity, compare, baseline), must, aim };
}
