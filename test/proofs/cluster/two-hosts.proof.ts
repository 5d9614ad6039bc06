/**
 * Servers of one directory on two mounts of a cluster file system with one-second timestamps: spec 6 holds across
 * hosts. Run by `npm run prove -- cluster`.
 */
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeGate, TreeShare, withWholeTree } from '../../../workers/disk/lock/tree-lock.js';
import { openRegular } from '../../../workers/disk/paths/confine.js';
import { tryFileLock, type FileLock } from '../../../workers/disk/lock/lock.js';
import { Reserved } from '../../../workers/disk/lock/reserved.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { isCurrent, readVersion } from '../../../workers/disk/write/version.js';
import { withHolder } from '../../reliability/lock-holder.js';
import { seeded } from '../../reliability/random.js';
import { startServer, type Server } from '../../reliability/server.js';
import type { Client } from '../../reliability/client.js';
import { startVolume, whyNoVolume, type Volume } from './moosefs.js';
import { Team } from './team.js';
import { versionedText, versionOfLine, versionOfLines } from './versions.js';

/** Ways of reading a.txt, each with its own cache in the server. @returns the version seen */
const looks: Readonly<Record<string, (client: Client) => Promise<number>>> = {
  'a whole read': async (client) => {
    const { content, total_lines } = await resultOf(client, 'read_file', { name: 'a.txt' });
    assert.equal(versionOfLines(total_lines), versionOfLine(content), 'the text and its lines are of one version');
    return versionOfLine(content);
  },
  'a window into it': async (client) => {
    const window = { name: 'a.txt', start_line: 1, end_line: 1 };
    const { content, total_lines } = await resultOf(client, 'read_file', window);
    assert.equal(versionOfLines(total_lines), versionOfLine(content), 'the text and its lines are of one version');
    return versionOfLine(content);
  },
  'its lines in the list': async (client) => {
    const { files } = await resultOf(client, 'list_files', {});
    assert.ok(Array.isArray(files));
    const listed: unknown = files.find((file: { name?: unknown }) => file.name === 'a.txt');
    assert.ok(typeof listed === 'object' && listed !== null && 'lines' in listed);
    return versionOfLines(listed.lines);
  },
  'a view by its path': async (client) => versionOfLine((await resultOf(client, 'view', { path: 'a.txt' }))['content']),
};

/** A completed write of an outside editor: the file is closed again. */
function writeInPlace(path: string, text: string): void {
  const fd = openSync(path, 'r+');
  writeSync(fd, text);
  fsyncSync(fd);
  closeSync(fd);
}

async function resultOf(
  client: Client,
  operation: string,
  params: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const reply = await client.call(operation, params);
  assert.ok(reply.kind === 'done', JSON.stringify(reply));
  return reply.result;
}

/** Turns this version into the next one, through a server. */
async function replaceByEdit(client: Client, version: number): Promise<void> {
  const lines = versionedText(version + 1).split('\n');
  const edits = [
    { line: 1, operation: 'replace', content: lines[0] },
    { line: 2, operation: 'insert', content: 'x' },
    { line: version + 2, operation: 'replace', content: lines.at(-2) },
  ];
  await resultOf(client, 'edit_file', { name: 'a.txt', edits });
}

/** A server that is killed and restarted while others work. */
class MortalServer {
  private constructor(
    private readonly directory: string,
    private server: Server,
    public client: Client,
  ) {}

  static async start(directory: string): Promise<MortalServer> {
    const server = await startServer('http', directory);
    return new MortalServer(directory, server, server.connect(16));
  }

  /** Die every 0.3 s, and once more at the end. @returns the number of deaths */
  async dieUntil(end: Promise<void>): Promise<number> {
    for (let deaths = 1; ; deaths++) {
      const over = await Promise.race([end.then(() => true), sleep(300, false)]);
      await this.kill();
      if (over) return deaths;
      this.server = await startServer('http', this.directory);
      this.client = this.server.connect(16);
    }
  }

  /** Its unanswered calls stay unanswered. */
  async kill(): Promise<void> {
    await this.server.kill();
    this.client.close();
  }
}

/** Refusals for a path whose directory the other host is moving or has just moved. */
function isAway(reason: unknown): boolean {
  return reason === 'file_not_found';
}

/** The disk room of a server on this mount. */
function reservedOf(mount: string): Reserved {
  const root = new Root(mount);
  root.refresh();
  return new Reserved(root);
}

const reason = whyNoVolume();

describe('servers of one directory on two hosts', { skip: reason, timeout: 300_000 }, () => {
  let volume: (Volume & { stop(): void }) | undefined;
  const directories = (): readonly [string, string] => {
    assert.ok(volume);
    return volume.newDirectory();
  };

  /** A server on each host, of the same directory. */
  async function withServers(
    mounts: readonly [string, string],
    use: (servers: readonly [Server, Server]) => Promise<void>,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const servers: Server[] = [];
    try {
      const a = await startServer('http', mounts[0], { toolset: 'all', ...options });
      servers.push(a);
      const b = await startServer('http', mounts[1], { toolset: 'all', ...options });
      servers.push(b);
      await use([a, b]);
    } finally {
      for (const server of servers) await server.kill();
    }
  }

  before(async () => {
    volume = await startVolume();
  });

  after(() => {
    volume?.stop();
  });

  it('exclude each other with file locks', () => {
    const [a, b] = directories().map(reservedOf);
    assert.ok(a && b);
    for (const [mine, theirs] of [
      [a, b],
      [b, a],
    ] as const) {
      const lock = tryFileLock(mine, 'a.txt', []);
      assert.ok(lock);
      assert.equal(tryFileLock(theirs, 'a.txt', []), null);
      assert.equal(lock.isHeld(), true);
      assert.equal(lock.release(), undefined);
      const next = tryFileLock(theirs, 'a.txt', []);
      assert.ok(next);
      assert.equal(next.release(), undefined);
    }
  });

  it('exclude each other with the tree lock: many writers, or one directory move', () => {
    const [a, b] = directories().map(reservedOf);
    assert.ok(a && b);
    const write = (host: Reserved, file: string): FileLock | null =>
      new TreeShare(host, []).take(() => tryFileLock(host, file, []));
    const writers = [write(a, 'd/a.txt'), write(b, 'd/b.txt')];
    assert.ok(writers.every((lock) => lock !== null));
    assert.equal(
      withWholeTree(a, () => closeGate(a, []), []),
      null,
      'nobody moves a directory under a writer',
    );
    for (const lock of writers) assert.equal(lock.release(), undefined);
    const mover = withWholeTree(a, () => closeGate(a, []), []);
    assert.ok(mover);
    assert.equal(write(b, 'd/b.txt'), null, 'nobody writes while a directory moves');
    assert.equal(mover.release(), undefined);
  });

  it('get a lock as soon as its holder on the other host is killed', async () => {
    const mounts = directories();
    writeFileSync(join(mounts[0], 'a.txt'), 'old\n');
    await withServers(
      mounts,
      ([, server]) =>
        withHolder(mounts[0], async (holder) => {
          const client = server.connect();
          const edit = { name: 'a.txt', edits: [{ line: 1, operation: 'replace', content: 'new' }] };
          const waiting = client.call('edit_file', edit);
          await sleep(500);
          assert.equal(readFileSync(join(mounts[1], 'a.txt'), 'utf8'), 'old\n', 'it waits for the lock');
          holder.kill('SIGKILL');
          assert.equal((await waiting).kind, 'done');
          client.close();
        }),
      { timeout: 120 },
    );
    assert.equal(readFileSync(join(mounts[0], 'a.txt'), 'utf8'), 'new\n');
  });

  it('notice an in-place write of equal size within the same second before they replace the file', () => {
    const [a, b] = directories();
    const root = new Root(b);
    root.refresh();
    for (let round = 0; round < 200; round++) {
      writeFileSync(join(a, 'a.txt'), `text ${String(round)} as it was read\n`.repeat(50));
      const file = openRegular(root, 'a.txt');
      assert.ok(file);
      const version = readVersion(file, 'a.txt', 1_000_000);
      writeInPlace(join(a, 'a.txt'), `TEXT ${String(round)}`);
      assert.equal(isCurrent(version), false, `round ${String(round)}`);
      file.close();
    }
  });

  it('replace a file of which only the timestamps changed, but not one whose permissions changed', () => {
    const [a, b] = directories();
    const root = new Root(b);
    root.refresh();
    const changes = [
      { change: 'its time stamps', isStillCurrent: true, make: (path: string) => utimesSync(path, 1e9, 1e9) },
      { change: 'its mode', isStillCurrent: false, make: (path: string) => chmodSync(path, 0o600) },
      { change: 'its owner', isStillCurrent: false, make: (path: string) => chownSync(path, 1000, 0) },
    ];
    for (const { change, isStillCurrent, make } of changes) {
      writeFileSync(join(a, 'a.txt'), 'text');
      const file = openRegular(root, 'a.txt');
      assert.ok(file);
      const version = readVersion(file, 'a.txt', 1000);
      make(join(a, 'a.txt'));
      assert.equal(isCurrent(version), isStillCurrent, change);
      file.close();
    }
  });

  it('lose none of a thousand conflicting edits while a third server is killed repeatedly', async (test) => {
    const mounts = directories();
    const team = new Team(mounts[0], seeded(test));
    await withServers(mounts, async (servers) => {
      const mortal = await MortalServer.start(mounts[0]);
      const [a, b] = [servers[0].connect(16), servers[1].connect(16)];
      let kills = 0;
      try {
        kills = await mortal.dieUntil(team.work([a, b], () => mortal.client));
      } finally {
        for (const client of [a, b]) client.close();
        await mortal.kill();
      }
      for (const server of servers) assert.equal(await server.process.stop(), 0, server.process.errors());
      test.diagnostic(`${team.summary()}; ${String(kills)} times a server was killed`);
    });
    for (const mount of mounts) team.check(mount);
  });

  it('move a directory while the other edits a file in it: every edit is kept, wherever the file ends up', async () => {
    const mounts = directories();
    mkdirSync(join(mounts[0], 'd0'));
    writeFileSync(join(mounts[0], 'd0/a.txt'), '<0>');
    await withServers(mounts, async ([a, b]) => {
      const [mover, editor] = [a.connect(), b.connect()];
      let moves = 0;
      const edited = new AbortController();
      const move = async (): Promise<void> => {
        while (!edited.signal.aborted) {
          const [old_path, new_path] = [`d${String(moves % 2)}`, `d${String((moves + 1) % 2)}`];
          assert.equal((await mover.call('rename', { old_path, new_path })).kind, 'done');
          moves += 1;
        }
      };
      const edit = async (): Promise<void> => {
        let missed = 0;
        for (let value = 0; value < 25;) {
          const path = `d${String((value + missed) % 2)}/a.txt`;
          const change = { path, old_str: `<${String(value)}>`, new_str: `<${String(value + 1)}>` };
          const reply = await editor.call('str_replace', change);
          if (reply.kind === 'done') {
            value += 1;
          } else {
            assert.ok(reply.kind === 'refused' && isAway(reply.data['reason']), JSON.stringify(reply));
            missed += 1;
          }
        }
      };
      await Promise.all([
        move(),
        edit().finally(() => {
          edited.abort();
        }),
      ]);
      assert.ok(moves > 0);
      mover.close();
      editor.close();
      assert.equal(readFileSync(join(mounts[0], `d${String(moves % 2)}/a.txt`), 'utf8'), '<25>');
      assert.deepEqual(readdirSync(mounts[1]).sort(), ['.file-editor', `d${String(moves % 2)}`]);
    });
  });

  it('never answer with a version that the other host has replaced or overwritten', async (test) => {
    const random = seeded(test);
    const mounts = directories();
    const path = join(mounts[0], 'a.txt');
    writeFileSync(path, versionedText(0));
    await withServers(mounts, async ([a, b]) => {
      const [writer, reader] = [a.connect(), b.connect()];
      let [version, rounds] = [0, 0];
      const look = async (): Promise<void> => {
        for (const [name, see] of Object.entries(looks)) assert.equal(await see(reader), version, name);
        rounds += 1;
      };
      // Recent timestamps prove nothing, and this file system shows new ones to other hosts up to a second late.
      for (const pause of [0, 300, 900, 1100, 2200, 2500]) {
        for (let burst = random.between(3, 10); burst > 0; burst--) {
          if (burst > 1 && random.between(0, 2) === 0) await replaceByEdit(writer, version);
          else writeInPlace(path, versionedText(version + 1));
          version += 1;
          await look();
        }
        for (const until = Date.now() + pause; Date.now() < until; await sleep(20)) await look();
      }
      reader.close();
      writer.close();
      test.diagnostic(`${String(version)} versions, looked at ${String(rounds)} times in each way`);
    });
  });
});

const lostSession = process.env['LOST_SESSION'] === '1' ? reason : 'takes up to five minutes; run with LOST_SESSION=1';

describe('a host that the cluster has expelled', { skip: lostSession, timeout: 900_000 }, () => {
  it('finds its lock lost and must not write: the other host has written since', async (test) => {
    const volume = await startVolume();
    const [a, b] = volume.newDirectory();
    const client = volume.clientOf(volume.mounts[0]);
    try {
      writeFileSync(join(a, 'a.txt'), 'old\n');
      const lock = tryFileLock(reservedOf(a), 'a.txt', []);
      assert.ok(lock);
      assert.equal(lock.isHeld(), true);
      const server = await startServer('http', b);
      process.kill(client, 'SIGSTOP');
      const began = Date.now();
      const other = server.connect();
      const edit = { name: 'a.txt', edits: [{ line: 1, operation: 'replace', content: 'new' }] };
      for (;;) {
        const reply = await other.call('edit_file', edit);
        if (reply.kind === 'done') break;
        assert.ok(reply.kind === 'refused' && reply.status === 409, JSON.stringify(reply));
        assert.ok(Date.now() - began < 240_000, 'the session does not end');
      }
      test.diagnostic(`the lock was free after ${String(Math.round((Date.now() - began) / 1000))} s`);
      other.close();
      await server.kill();
      process.kill(client, 'SIGCONT');
      assert.equal(lock.isHeld(), false);
      assert.equal(readFileSync(join(b, 'a.txt'), 'utf8'), 'new\n');
    } finally {
      process.kill(client, 'SIGCONT');
      volume.stop();
    }
  });
});
