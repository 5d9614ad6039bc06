/** Figures that the system reports about a process; undefined where there is no /proc. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Length of a clock tick; the same on every Linux that Node supports. */
const msPerTick = 10;

/** Processor time used so far by a process and the processes it has started, in milliseconds. */
export function processorMs(pid: number): number | undefined {
  const [user, system] = times(pid) ?? [];
  if (user === undefined || system === undefined) return undefined;
  return children(pid).reduce((sum, child) => sum + (processorMs(child) ?? 0), user + system);
}

/** Processor time of the children that this process has waited for, in milliseconds. */
export function endedChildrenMs(): number | undefined {
  const [, , user, system] = times(process.pid) ?? [];
  return user === undefined || system === undefined ? undefined : user + system;
}

/** Resident memory of a process, in megabytes. */
export function memoryMb(pid: number): number | undefined {
  return megabytes(pid, 'VmRSS');
}

/** Peak resident memory of a process since `forgetPeak`, in megabytes. */
export function peakMemoryMb(pid: number): number | undefined {
  return megabytes(pid, 'VmHWM');
}

export function forgetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${String(pid)}/clear_refs`, '5');
}

/** User and system time, then those of the children that were waited for: fields 14 to 17. */
function times(pid: number): number[] | undefined {
  const stat = read(pid, 'stat');
  // The name in parentheses may contain any characters.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.slice(11, 15).map((ticks) => Number(ticks) * msPerTick);
}

function children(pid: number): number[] {
  const list = read(pid, `task/${String(pid)}/children`) ?? '';
  return list.split(' ').filter(Boolean).map(Number);
}

function megabytes(pid: number, name: string): number | undefined {
  const kilobytes = new RegExp(String.raw`^${name}:\s+(\d+) kB$`, 'm').exec(read(pid, 'status') ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function read(pid: number, name: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return readFileSync(`/proc/${String(pid)}/${name}`, 'utf8');
}
