// A test leaves nothing behind. Each test file has its own temporary folder, which is removed when its process ends.
// Any file still in it fails the test file, as does any process it started that still runs. Without this check, each
// run left sixteen folders in /tmp, all by passing tests.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** In the environment of a test file, and of every process that it starts. */
const watched = 'WATCHED_FOR_LEFTOVERS';
/** How long a process may take to end, in milliseconds: some need seconds on a loaded machine. */
const patienceMs = Number(process.env.LEFTOVERS_PATIENCE_MS ?? 10_000);

// node --test sets NODE_TEST_CONTEXT for the process of each file; its child processes inherit it.
const isFileOfTests = process.env.NODE_TEST_CONTEXT !== undefined && process.env[watched] === undefined;
if (isFileOfTests && isMainThread) watch();

function watch() {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'file-editor-tests-'));
  // Like /tmp: some tests run a server as another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.env[watched] = folder;
  process.on('exit', () => {
    const left = [...runningProcesses(folder), ...foundIn(folder)];
    rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    process.stderr.write(`These tests leave behind:\n${left.map((each) => `  ${each}\n`).join('')}`);
    process.exitCode = 1;
  });
}

/** Caches of tsx and of Node do not count: later processes use them. */
function foundIn(folder) {
  return readdirSync(folder)
    .filter((name) => !/^(?:tsx-|node-compile-cache$)/.test(name))
    .map((name) => `${name} in the directory for temporary files`);
}

/**
 * Recognized by the folder in their environment or, if a test has replaced that, by their parent. The esbuild service
 * ends with this process.
 */
function runningProcesses(folder) {
  if (process.platform !== 'linux') return [];
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const running = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOurs(pid, folder));
    if (running.length === 0 || performance.now() > giveUpAt) {
      return running.map((pid) => `process ${pid}: ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

function isOurs(pid, folder) {
  if (Number(pid) === process.pid) return false;
  const [, state, parent] = /^.*\) (\S) (\d+) /s.exec(textOf(`/proc/${pid}/stat`)) ?? [];
  if (state === undefined || state === 'Z') return false;
  if (textOf(`/proc/${pid}/cmdline`).includes('\0--service=')) return false;
  return Number(parent) === process.pid || textOf(`/proc/${pid}/environ`).includes(`${watched}=${folder}\0`);
}

/** Empty for a process that has ended or belongs to another user. */
function textOf(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
