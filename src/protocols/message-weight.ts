/** What a message holds in memory until it is answered (contract 6): transports stop reading by it. */
import { maxBatchLength, mayBeBatch } from './batch.js';

/** A call that waits: its parameters, promises, a timer, places in queues. 3.1 kB each, measured with 244,000 of them. */
const callBytes = 4096;
/** No call is shorter. */
const leastCall = '{"jsonrpc":"2.0","method":"edit_file","params":{"name":"a"}}'.length;

/** In bytes, at most: of a batch, as many calls as it has room for. */
export function weightOf(message: Buffer): number {
  const calls = mayBeBatch(message) ? Math.min(maxBatchLength, Math.ceil(message.length / leastCall)) : 1;
  return message.length + calls * callBytes;
}
