/**
 * A MooseFS volume on this machine, mounted twice: each mount acts as a separate host to the other. Its processes use
 * their own network namespace, since a chunk server may not listen on 127.0.0.1.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const programs = ['mfsmaster', 'mfschunkserver', 'mfsmount', 'ip', 'nsenter', 'mount', 'umount'];
const packages = 'moosefs-master, moosefs-chunkserver, moosefs-client and iproute2';
const address = '10.99.0.1';
/** Debian installs servers there, which may be outside a user's PATH. */
const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
/** The hosts need nothing beyond what the guide (docs/growing.md) asks for. */
const mountOptions = 'mfsattrcacheto=0,mfsdirentrycacheto=0,mfsnice=0';
const hosts = ['a', 'b'] as const;

export interface Volume {
  /** The volume as two hosts see it. */
  readonly mounts: readonly [a: string, b: string];
  /** A new directory of the volume, as each host sees it. */
  newDirectory(): readonly [a: string, b: string];
  /** The process that serves a mount: stopping it cuts that host's connection. */
  clientOf(mount: string): number;
}

/** Why no volume can be made here; false if one can. */
export function whyNoVolume(): string | false {
  if (process.getuid?.() !== 0) return 'needs root, for mounts and a network namespace';
  if (!existsSync('/dev/fuse')) return 'needs /dev/fuse';
  const missing = programs.filter((name) => spawnSync('which', [name], { env: { PATH: path } }).status !== 0);
  if (missing.length > 0) return `needs ${missing.join(', ')} (Debian: ${packages})`;
  const name = `file-editor-${randomBytes(4).toString('hex')}`;
  const made = spawnSync('ip', ['netns', 'add', name], { env: { PATH: path }, encoding: 'utf8' });
  if (made.status !== 0) return `needs the right to make network namespaces: ${made.stderr.trim()}`;
  spawnSync('ip', ['netns', 'del', name], { env: { PATH: path } });
  return false;
}

/** Start a volume. `stop` ends it and removes everything. @throws with its programs' output if one does not start */
export async function startVolume(): Promise<Volume & { stop(): void }> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'file-editor-moosefs-')));
  const namespace = `file-editor-${randomBytes(4).toString('hex')}`;
  const at = (...names: string[]): string => join(base, ...names);
  const inside = (program: string, ...args: string[]): void => {
    run('nsenter', `--net=/run/netns/${namespace}`, program, ...args);
  };
  const stop = (): void => {
    for (const host of hosts) {
      if (isMounted(at(host)) && !attempt(() => run('umount', at(host)))) attempt(() => run('umount', '-l', at(host)));
    }
    attempt(() => inside('mfschunkserver', '-c', at('chunks.cfg'), 'stop'));
    attempt(() => inside('mfsmaster', '-c', at('master.cfg'), 'stop'));
    attempt(() => run('ip', 'netns', 'del', namespace));
    if (hosts.some((host) => isMounted(at(host)))) throw new Error(`still mounted: ${base}`);
    rmSync(base, { recursive: true, force: true });
  };
  try {
    configure(base);
    run('ip', 'netns', 'add', namespace);
    run('ip', '-n', namespace, 'link', 'set', 'lo', 'up');
    run('ip', '-n', namespace, 'addr', 'add', `${address}/32`, 'dev', 'lo');
    inside('mfsmaster', '-c', at('master.cfg'), 'start');
    inside('mfschunkserver', '-c', at('chunks.cfg'), 'start');
    for (const host of hosts) inside('mfsmount', at(host), '-H', address, '-o', mountOptions);
    await untilUsable(at('a'), at('b'));
  } catch (error) {
    stop();
    throw error;
  }
  const mounts = [at('a'), at('b')] as const;
  let directories = 0;
  return {
    mounts,
    newDirectory: () => {
      const name = `directory-${String((directories += 1))}`;
      mkdirSync(at('a', name));
      return [at('a', name), at('b', name)];
    },
    clientOf,
    stop,
  };
}

function configure(base: string): void {
  const user = ['WORKING_USER = root', 'WORKING_GROUP = root', 'NICE_LEVEL = 0'];
  for (const folder of ['master', 'chunks', 'disk', ...hosts]) mkdirSync(join(base, folder));
  const write = (name: string, ...lines: string[]): void => {
    writeFileSync(join(base, name), lines.map((line) => `${line}\n`).join(''));
  };
  write(
    'master.cfg',
    ...user,
    `DATA_PATH = ${base}/master`,
    `EXPORTS_FILENAME = ${base}/exports.cfg`,
    `TOPOLOGY_FILENAME = ${base}/topology.cfg`,
    'SESSION_SUSTAIN_TIME = 60',
  );
  write(
    'chunks.cfg',
    ...user,
    `DATA_PATH = ${base}/chunks`,
    `HDD_CONF_FILENAME = ${base}/disks.cfg`,
    'HDD_LEAVE_SPACE_DEFAULT = 64MiB',
    `MASTER_HOST = ${address}`,
    `BIND_HOST = ${address}`,
    'MASTER_RECONNECTION_DELAY = 1',
  );
  write('exports.cfg', '* / rw,alldirs,admin,maproot=0:0');
  write('topology.cfg');
  // Disables the limit, which would count the whole disk's usage.
  write('disks.cfg', `${base}/disk`);
  copyFileSync('/var/lib/mfs/metadata.mfs.empty', join(base, 'master/metadata.mfs'));
}

/** The chunk server takes a moment to report to the master. A mount that failed would be a plain directory. */
async function untilUsable(a: string, b: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const usable = (): void => {
      writeFileSync(join(a, 'probe'), 'x');
      if (statSync(join(b, 'probe')).size !== 1) throw new Error('not yet');
      rmSync(join(a, 'probe'));
    };
    if (isMounted(a) && isMounted(b) && attempt(usable)) return;
    await sleep(100);
  }
  throw new Error('the volume cannot be written after 60 s');
}

function isMounted(directory: string): boolean {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[1] === directory);
}

function clientOf(mount: string): number {
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    let line = '';
    attempt(() => {
      line = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
    });
    if (line.includes(`(mounted on: ${mount})`)) return Number(entry);
  }
  throw new Error(`nothing serves ${mount}`);
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { env: { ...process.env, PATH: path }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** @returns whether it worked */
function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
