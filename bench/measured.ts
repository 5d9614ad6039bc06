/** All measured subjects: programs at work. The tables (comparisons.ts, budget-figures.ts) compare these. */
import { rewriteFiles } from './directory.js';
import { files, kilobyte, lineBytes, megabyte } from './files.js';
import { constant, handWritten, nginx, server, serverWithTokens } from './programs/programs.js';
import { changesOf } from './subjects/changes.js';
import { diskOfEdits, firstEdit, lastChanges } from './subjects/history.js';
import { httpLoad } from './subjects/http-load.js';
import { httpTurns } from './subjects/http-turns.js';
import { calls, callsAfterPauses, callsAfterThought, callsOverHttp, memoryAtPace } from './subjects/pace.js';
import { idleFreshWithHistory, memoryAfterEdits } from './subjects/process-costs.js';
import { stdioEdits, stdioLostEdits, stdioReads, stdioStart } from './subjects/stdio.js';
import { agentDialect, mcpDialect, ownDialect, ownMcpDialect } from './subjects/stdio-dialects.js';
import { besideRipgrep, counts, lines, names } from './subjects/search.js';
import { memoryOf, readsDuringSearches } from './subjects/search-costs.js';
import { careful } from './subjects/writer.js';
import { read, request, thousandFiles, workloads } from './workloads.js';

const uncached = server('--cache-mb=0');
const synced = server('--durability=full');

export const read1KB = {
  own: httpLoad(server(), workloads.read1KB),
  withToken: httpLoad(serverWithTokens(), workloads.read1KB),
  withPaths: httpLoad(serverWithTokens('*.txt', 'src/**'), workloads.read1KB),
  uncached: httpLoad(uncached, workloads.read1KB),
  byHand: httpLoad(handWritten, workloads.read1KB),
  constant: httpLoad(constant, workloads.read1KB),
};

export const read1MB = {
  own: httpLoad(server(), workloads.read1MB),
  uncached: httpLoad(uncached, workloads.read1MB),
  byHand: httpLoad(handWritten, workloads.read1MB),
  constant: httpLoad(constant, workloads.read1MB),
  nginx: httpLoad(nginx, workloads.read1MB),
};

export const read100KB = httpLoad(server(), workloads.read100KB);

/**
 * One file of 100 MB and many small ones; windows of ten lines all over the large one, which only the first request
 * scans.
 */
const large = 100 * megabyte;
const withLarge = [large, ...files(100, kilobyte)];
const lastStart = Math.floor(large / lineBytes) - 10;
const windows = Array.from({ length: 500 }, (_, index) => {
  const start = 1 + ((index * 104_729) % lastStart);
  return read(0, { start_line: start, end_line: start + 9 });
});
const smallReads = Array.from({ length: 100 }, (_, index) => read(1 + index));
const turns = { files: withLarge, warmUp: 3_000 };

export const window = {
  own: httpTurns(server('--max-size=100', '--cache-mb=0'), { ...turns, requests: windows }),
  read1KB: { ...httpTurns(uncached, { ...turns, requests: smallReads }), name: '1 KB read, --cache-mb=0' },
};

const lists = { files: thousandFiles, requests: [request('list_files', {})], warmUp: 20 };

export const list = {
  unchanged: httpTurns(server(), lists),
  changed: httpTurns(server(), {
    ...lists,
    writes: true,
    before: (directory) => {
      rewriteFiles(directory, thousandFiles);
    },
  }),
};

/** A view of a directory. */
export const view = httpTurns(server('--toolset=storage'), {
  files: thousandFiles,
  requests: [request('view', { path: '' })],
  warmUp: 20,
});

export const edits = {
  own: httpLoad(synced, workloads.edit64Files),
  withHistory: httpLoad(server('--durability=full', '--history'), workloads.edit64Files),
  careful: careful('edit', 64, kilobyte),
  byHand: httpLoad(handWritten, workloads.edit64Files),
};

export const appends = {
  own: httpLoad(synced, workloads.appendOneFile),
  careful: careful('append', 1, 64 * kilobyte),
};

export const stdio = {
  edit: stdioEdits(ownDialect(), megabyte),
  editUnsynced: stdioEdits(ownDialect('--durability=none'), megabyte),
  mcpEdit: stdioEdits(mcpDialect, megabyte),
  reads: stdioReads(ownDialect(), thousandFiles, 10),
  mcpReads: stdioReads(mcpDialect, thousandFiles, 10),
  start: stdioStart(ownMcpDialect()),
  mcpStart: stdioStart(mcpDialect),
  tenEdits: stdioEdits(ownMcpDialect(), megabyte, 10),
  tenEditsUnsynced: stdioEdits(ownMcpDialect('--durability=none'), megabyte, 10),
  mcpTenEdits: stdioEdits(mcpDialect, megabyte, 10),
  thousandEdits: stdioEdits(ownMcpDialect(), megabyte, 1000),
  lost: stdioLostEdits(ownDialect(), 20),
  mcpLost: stdioLostEdits(mcpDialect, 20),
};

/** What `--history` costs, but for the times of edits. */
export const history = {
  lastChanges,
  firstEdit,
  idle: idleFreshWithHistory,
  edited: memoryAfterEdits('--history'),
  editedWithout: memoryAfterEdits(),
  thousandEdits: diskOfEdits(1_000),
  tenThousandEdits: diskOfEdits(10_000),
};

/** By the number of files. */
export const changes = { two: changesOf(2), ten: changesOf(10), hundred: changesOf(100) };

const agent = agentDialect('--durability=none');
const agentSynced = agentDialect();

/** One agent, one call at a time. */
export const pace = {
  own: calls(agent),
  synced: calls(agentSynced),
  withHistory: calls(agentDialect('--durability=none', '--history')),
  syncedWithHistory: calls(agentDialect('--history')),
  mcp: calls(mcpDialect),
  thought: callsAfterThought(agent),
  mcpThought: callsAfterThought(mcpDialect),
  paused: callsAfterPauses(agent),
  mcpPaused: callsAfterPauses(mcpDialect),
  http: callsOverHttp(server()),
  httpConstant: callsOverHttp(constant),
  memory: memoryAtPace(agent, 0),
  memoryLater: memoryAtPace(agent, 12_000),
};

/** In seven files of eslint and typescript-eslint. */
const rare = lines('markVariableAsUsed', true);
const withLiteral = lines(String.raw`\w+Exception\b`);
const withoutLiteral = lines('[a-z]+[0-9]{3}[a-z]x');
const word = counts('function');

/** One search at a time of about 11,700 files. */
export const search = {
  rare: besideRipgrep(rare, true),
  withLiteral: besideRipgrep(withLiteral),
  withoutLiteral: besideRipgrep(withoutLiteral),
  word: besideRipgrep(word),
  names: besideRipgrep(names('**/*.ts')),
  memory: memoryOf([rare, withLiteral, withoutLiteral, word, rare]),
  reads: readsDuringSearches,
};

/** Only for the budgets. */
export const edit1MB = httpLoad(server(), workloads.edit1MB);
export const edit1MBOneFile = httpLoad(server(), workloads.edit1MBOneFile);
export const edit100KBServers = httpLoad(server(), workloads.edit100KBServers);
export const appendAlone = {
  own: httpLoad(server(), workloads.appendAlone),
  byHand: httpLoad(handWritten, workloads.appendAlone),
};
