import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../reliability/client.js';
import type { Random } from '../../reliability/random.js';
import { lastingPort, startServer, type Server } from '../../reliability/server.js';

/** A server process of a fleet; when killed, another one replaces it on the same port. */
export class Berth {
  /** Undefined while none runs. */
  server: Server | undefined;
  /** Resolves once the last killed process is dead, so it can have no further effect. */
  dead: Promise<void> = Promise.resolve();
  /** Resolves once its replacement is ready, and so has made what the killed process had decided (spec 14). */
  restarted: Promise<void> = Promise.resolve();
  kills = 0;
  pauses = 0;

  constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly options: Readonly<Record<string, unknown>>,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  async start(): Promise<void> {
    this.server = await startServer('http', this.directory, this.options, this.port);
  }

  /** `kill -9`, then start a replacement. */
  async replace(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    this.kills++;
    this.dead = server.kill();
    this.restarted = this.dead.then(() => this.start());
    await this.restarted;
  }

  /** Stop it, whatever locks it holds, and continue it. */
  async pause(ms: number): Promise<void> {
    const child = this.server?.process.child;
    if (child?.kill('SIGSTOP') !== true) return;
    this.pauses++;
    await sleep(ms);
    child.kill('SIGCONT');
  }

  /** @throws with its output if it does not exit cleanly */
  async stop(): Promise<void> {
    const code = await this.server?.process.stop();
    if (code !== 0) throw new Error(`a server ended with ${String(code)}: ${this.server?.process.errors() ?? ''}`);
    this.server = undefined;
  }
}

/** Lend server processes of one directory. */
export async function withFleet(
  directory: string,
  size: number,
  options: Readonly<Record<string, unknown>>,
  use: (fleet: readonly Berth[]) => Promise<void>,
): Promise<void> {
  const fleet: Berth[] = [];
  try {
    for (let i = 0; i < size; i++) {
      const berth = new Berth(directory, await lastingPort(), options);
      fleet.push(berth);
      await berth.start();
    }
    await use(fleet);
    for (const berth of fleet) await berth.stop();
  } finally {
    for (const berth of fleet) await berth.server?.kill();
  }
}

/** A random running server of the fleet, through one agent's clients. */
export function pickRunning(
  fleet: readonly Berth[],
  clients: ReadonlyMap<Berth, Client>,
  random: Random,
): { berth: Berth; client: Client } {
  const running = fleet.filter(({ server }) => server !== undefined);
  const berth = random.pick(running.length > 0 ? running : fleet);
  const client = clients.get(berth);
  if (client === undefined) throw new Error('no client of this server');
  return { berth, client };
}
