import { fstatSync } from 'node:fs';
import { Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';

/** Bytes that are read at once: as much as a pipe holds. */
const readAtOnce = 65_536;

/**
 * stdin, all of whose chunks lie in one buffer, so that each may be looked at only until the next one. The stream of Node
 * takes a new buffer for each: a message of 10 MB left as much again behind.
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
    // A socket of datagrams, which Node takes for a stream that has ended.
    return process.stdin;
  }
  return input;
}
