import { existsSync } from 'node:fs';
import type { Config } from '../config/config.js';
import { isLoopback } from '../config/ip-address.js';
import { relativeTo } from '../core/names/filename.js';
import type { Log } from './log.js';

/** Start-up time in milliseconds (spec 1.1) above which the log says so. */
const startBudgetMs = 100;

/**
 * A slow start is no reason for a warning if it takes at most four times as long as Node itself, a measure of the
 * machine's current speed: a warning at each start of an ordinary machine would teach operators to ignore warnings.
 */
const timesNode = 4;

/**
 * Log the start and what the operator should know about it.
 * @param announcement one line about what is served, and where
 * @param nodeMs how long Node itself took to begin
 */
export function reportStart(
  config: Config,
  log: Log,
  announcement: string,
  startMs: number,
  nodeMs = performance.nodeTiming.bootstrapComplete,
): void {
  const { directory, transport, readOnly, durability, workers, tokens } = config;
  const fields = { directory, transport, readOnly, durability, workers, startMs: Math.round(startMs) };
  log.info(fields, announcement);
  if (startMs > startBudgetMs) {
    const what = `the start took longer than ${String(startBudgetMs)} ms`;
    const about = { startMs: fields.startMs, nodeMs: Math.round(nodeMs) };
    if (startMs <= timesNode * nodeMs) log.info(about, `${what}, as is usual on a slow or busy machine`);
    else log.warn(about, `${what}, and Node itself only ${String(about.nodeMs)} ms`);
  }
  if (transport === 'http' && isLoopback(config.host) && isContainer() && isWhatItRuns()) {
    const how = 'start it with --host=0.0.0.0, and the container with -p 127.0.0.1:PORT:PORT';
    log.info({ host: config.host }, `this address is inside the container; for calls from outside, ${how}`);
  }
  if (transport === 'http' && config.tls === undefined && !isLoopback(config.host)) {
    const advice =
      tokens === undefined
        ? `anyone who can reach it can ${readOnly ? 'read' : 'read and edit'} the files`
        : 'tokens and files travel in clear text, and anyone who reads a token on the way can use it';
    log.warn({ host: config.host }, `listening beyond this machine, without TLS: ${advice}`);
  }
  if (tokens !== undefined && relativeTo([directory, config.givenDirectory], tokens.path) !== undefined) {
    const what = 'the file of tokens is in the served directory: anyone who can write there can add a token';
    log.warn({ tokens: tokens.path }, what);
  }
}

/** Docker and Podman create these files in their containers. */
export function isContainer(): boolean {
  return ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file));
}

/**
 * Whether the container was started for this server, directly or under an init or npm. If it was started from a shell
 * in the container, the user can reach it from there.
 */
function isWhatItRuns(): boolean {
  return process.pid === 1 || process.ppid === 1;
}
