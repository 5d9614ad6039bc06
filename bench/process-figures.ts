/** What the system knows about a process; undefined where there is no /proc. */
import { readFileSync } from 'node:fs';

/** Linux counts in these, on every platform that Node runs on. */
const msPerTick = 10;

/** Processor time that a process has used so far, all its threads, in milliseconds. */
export function processorMs(pid: number): number | undefined {
  const stat = read(pid, 'stat');
  // The name in parentheses may hold anything; user and system time are fields 14 and 15.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** Memory that a process has in use now (resident), in megabytes. */
export function memoryMb(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(pid, 'status') ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function read(pid: number, name: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return readFileSync(`/proc/${String(pid)}/${name}`, 'utf8');
}
