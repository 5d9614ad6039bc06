/**
 * What clients take of the bytes that the system still has to send. A listener is only told when a third of a socket's
 * buffer is free again, and that buffer holds megabytes: a client that takes 4 kB/s would look dead for minutes. Linux
 * tells how many bytes each connection has not taken yet. Elsewhere this is unknown, and what the listener is told
 * decides.
 */
import { promises } from 'node:fs';

/** Bytes in the queues of the connections to one port of this machine, by the client's address and port in hex. */
export type SendQueues = ReadonlyMap<string, number>;

const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * The queues that are not empty. With thousands of connections this takes milliseconds, off the main thread except for
 * the parsing; one look serves all that are in doubt.
 * @param port of the listener
 */
export async function readSendQueues(port: number): Promise<SendQueues> {
  const queues = new Map<string, number>();
  if (process.platform !== 'linux') return queues;
  for (const table of tables) {
    // One of the tables is missing without that version of IP, and both where /proc is hidden: then nothing is known.
    const text = await promises.readFile(table, 'latin1').catch(() => '');
    collect(text, port, queues);
  }
  return queues;
}

/** Number, local address, remote address, state, bytes to be taken; all but the first in hex. */
function collect(table: string, port: number, queues: Map<string, number>): void {
  const row = new RegExp(` *\\d+: [0-9A-F]+:${hexPort(port)} ([0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):`, 'g');
  for (const [, client = '', bytes = ''] of table.matchAll(row)) {
    const queued = Number.parseInt(bytes, 16);
    if (queued > 0) queues.set(client, queued);
  }
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/**
 * The queue of one connection whose answer is stuck, from look to look. uWebSockets.js does not tell a client's port,
 * so there it may be any queue of the listener that was never seen empty; the client counts as taking bytes while one
 * of them shrinks.
 */
export class StuckQueue {
  private candidates: SendQueues = new Map();

  /** @param clientPort undefined if it is unknown */
  constructor(private readonly clientPort: number | undefined) {}

  /** Whether its client may have taken bytes since the last look. False at the first look. */
  hasMoved(queues: SendQueues): boolean {
    const before = this.candidates.size > 0 ? this.candidates : this.mine(queues);
    const now = new Map([...before.keys()].flatMap((client) => entry(client, queues)));
    this.candidates = now;
    return [...now].some(([client, bytes]) => bytes !== before.get(client));
  }

  private mine(queues: SendQueues): SendQueues {
    const { clientPort } = this;
    if (clientPort === undefined) return queues;
    const end = `:${hexPort(clientPort)}`;
    return new Map([...queues].filter(([client]) => client.endsWith(end)));
  }
}

function entry(client: string, queues: SendQueues): [string, number][] {
  const bytes = queues.get(client);
  return bytes === undefined ? [] : [[client, bytes]];
}
