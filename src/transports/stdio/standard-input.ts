import { fstatSync } from 'node:fs';
import { Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';

/** How many bytes are read at once: as much as a pipe holds. */
const readAtOnce = 65_536;

/**
 * stdin with all chunks in one buffer, so that each is valid only until the next one. Node's stream takes a new buffer
 * for each: a message of 10 MB left as much again behind.
 */
export function standardInput(): Readable {
  const stats = fstatSync(0);
  if (!stats.isFIFO() && !stats.isSocket()) return process.stdin;
  const buffer = Buffer.allocUnsafeSlow(readAtOnce);
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
    fd: 0,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback(length) {
        input.emit('data', buffer.subarray(0, length));
        return true;
      },
    },
  };
  let input: Socket;
  try {
    input = new Socket(options);
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_FD_TYPE')) throw error;
    // A datagram socket, which Node takes for a stream that has ended.
    return process.stdin;
  }
  return input;
}
