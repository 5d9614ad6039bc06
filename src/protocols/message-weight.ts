/** How much memory a message holds until it is answered (spec 6): transports stop reading by it. */
import { maxBatchLength, mayBeBatch } from './batch.js';

/**
 * For a call that waits: its parameters, promises, a timer, places in queues. Measured with 244,000 calls: 3.1 kB each.
 */
const callBytes = 4096;
/** No call is shorter. */
const leastCall = '{"jsonrpc":"2.0","method":"edit_file","params":{"name":"a"}}'.length;

/** In bytes, at most; for a batch, as many calls as there is room for in it. */
export function weightOf(message: Buffer): number {
  const calls = mayBeBatch(message) ? Math.min(maxBatchLength, Math.ceil(message.length / leastCall)) : 1;
  return message.length + calls * callBytes;
}
