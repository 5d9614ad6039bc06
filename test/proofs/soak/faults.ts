/** Faults injected while agents work, 1 % of all requests. Each fault resolves once it is over. */
import { closeSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Reserved } from '../../../workers/disk/lock/reserved.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { tryFileLock } from '../../../workers/disk/lock/lock.js';
import type { Ledger } from '../../reliability/ledger.js';
import type { Random } from '../../reliability/random.js';

export interface Scene {
  readonly directory: string;
  /** The small file system under it, if any. */
  readonly disk: string | undefined;
  /** Of servers over HTTP. */
  readonly urls: readonly string[];
  /** A file here ends a thread: see deaths.mjs. */
  readonly deaths: string;
  /** What was appended to `cut.log` over connections that were then cut. */
  readonly cut: Ledger;
  readonly random: Random;
}

export const cutLog = 'cut.log';

let requests = 0;

async function badRequest({ urls, random }: Scene): Promise<void> {
  const headers = { 'Content-Type': random.pick(['application/json', 'application/json', 'text/plain']) };
  const body = random.pick(['{"name":', '[]', '{"name":"../x"}', '{"name":1}', '{"name":"a\\ud800"}', '\xff', '']);
  const operation = random.pick(['read_file', 'edit_file', 'view', 'apply_edits', 'no_operation', 'mcp']);
  const response = await fetch(`${random.pick(urls)}/${operation}`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  if (response.status < 400 || response.status >= 500) {
    throw new Error(`${operation} ${body}: ${String(response.status)}`);
  }
}

/** An append to a log over a connection that is cut after all or part of the request. */
function cutOff(all: boolean): Kind['strike'] {
  return async ({ urls, random, cut }) => {
    const { host, port, hostname } = new URL(random.pick(urls));
    const line = `request${String(++requests)}-1`;
    if (all) cut.leaveOpen(line);
    else cut.refuse(line);
    const body = JSON.stringify({ name: cutLog, append: line });
    const head = `POST /edit_file HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n`;
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    const whole = head + body;
    socket.write(all ? whole : whole.slice(0, random.between(1, whole.length - 1)));
    await sleep(random.between(0, 20));
    socket.destroy();
    await closed;
  };
}

/** The thread that replaces a file next. */
async function threadDeath({ deaths, random }: Scene): Promise<void> {
  writeFileSync(`${deaths}.${random.pick(['before', 'after'])}`, '');
}

async function fullDisk({ disk, random }: Scene): Promise<void> {
  if (disk === undefined) return;
  const filler = join(disk, 'filler');
  const fd = openSync(filler, 'w');
  try {
    for (const piece of [1_048_576, 4096]) {
      // A full disk shows as a short write before it shows as an error.
      while (writeSync(fd, Buffer.alloc(piece)) === piece);
    }
  } catch (error) {
    if (!String(error).includes('ENOSPC')) throw error;
  } finally {
    closeSync(fd);
  }
  await sleep(random.between(1, 30));
  rmSync(filler);
}

async function directoryAway({ directory, random }: Scene): Promise<void> {
  renameSync(directory, `${directory}.away`);
  await sleep(random.between(1, 20));
  renameSync(`${directory}.away`, directory);
}

/** Longer than the servers' lock timeout. */
async function lockHeld({ directory, random }: Scene): Promise<void> {
  const root = new Root(directory);
  root.refresh();
  const reserved = new Reserved(root);
  const lock = tryFileLock(reserved, cutLog, []);
  await sleep(random.between(10, 12_000));
  lock?.release();
  reserved.forget();
  root.close();
}

interface Kind {
  readonly name: string;
  /** Of a thousand faults. */
  readonly share: number;
  /** Affects the whole directory, so never concurrent with another of these. */
  readonly alone?: true;
  readonly strike: (scene: Scene) => Promise<void>;
}

const kinds: readonly Kind[] = [
  { name: 'bad requests', share: 508, strike: badRequest },
  { name: 'aborted uploads', share: 200, strike: cutOff(false) },
  { name: 'cut connections', share: 150, strike: cutOff(true) },
  { name: 'thread deaths', share: 80, strike: threadDeath },
  { name: 'full disks', share: 30, alone: true, strike: fullDisk },
  { name: 'directories moved away', share: 30, alone: true, strike: directoryAway },
  { name: 'locks held', share: 2, alone: true, strike: lockHeld },
];

/** Faults of all kinds. */
export class Faults {
  readonly counts = new Map(kinds.map(({ name }) => [name, 0]));
  private isAlone = false;

  constructor(private readonly scene: Scene) {}

  async strike(): Promise<void> {
    let dice = this.scene.random.between(1, 1000);
    const kind = kinds.find(({ share }) => (dice -= share) <= 0);
    if (kind === undefined || (kind.alone === true && this.isAlone)) return;
    this.counts.set(kind.name, (this.counts.get(kind.name) ?? 0) + 1);
    if (kind.alone !== true) return kind.strike(this.scene);
    this.isAlone = true;
    try {
      await kind.strike(this.scene);
    } finally {
      this.isAlone = false;
    }
  }
}
