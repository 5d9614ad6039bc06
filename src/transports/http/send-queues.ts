/**
 * Detects whether a client reads its answer while the bytes are in the system's send buffer. A listener is notified
 * only when a third of that buffer is free, and it holds megabytes: a client that takes 4 kB/s would look dead for
 * minutes. Linux reports the untaken bytes of each connection. Elsewhere they are unknown, and the listener's
 * notifications decide.
 */
import { promises } from 'node:fs';
import { platform } from '../../core/platform.js';

/** Bytes in the send queues of connections to one local port, by the client's address and port in hex. */
export type SendQueues = ReadonlyMap<string, number>;

const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * The non-empty queues. With thousands of connections this takes milliseconds, of which only the parsing is on the main
 * thread; one read serves all exchanges in doubt.
 * @param port of the listener
 */
export async function readSendQueues(port: number): Promise<SendQueues> {
  const queues = new Map<string, number>();
  if (!platform.hasProc) return queues;
  for (const table of tables) {
    // A table is missing without its IP version, and both are if /proc is hidden: the queues are then unknown.
    const text = await promises.readFile(table, 'latin1').catch(() => '');
    collect(text, port, queues);
  }
  return queues;
}

/** Columns: number, local address, remote address, state, bytes to send; all but the first in hex. */
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
 * Follows the send queue of one stuck connection across reads. uWebSockets.js does not report the client's port, so the
 * candidates are then all queues of the listener that were never seen empty; the client counts as reading while any of
 * them shrinks.
 */
export class StuckQueue {
  private candidates: SendQueues = new Map();

  /** @param clientPort undefined if it is unknown */
  constructor(private readonly clientPort: number | undefined) {}

  /** Whether its client may have taken bytes since the last read. False on the first read. */
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
