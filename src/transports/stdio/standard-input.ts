import { fstatSync } from 'node:fs';
import { Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';

/** Bytes per read: the capacity of a pipe. */
const readAtOnce = 65_536;

/**
 * stdin that reads every chunk into the same buffer, so each is valid only until the next. Node's own stream allocates
 * a buffer per chunk: a message of 10 MB left another 10 MB of garbage.
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
    // A datagram socket; process.stdin treats it as a stream that has ended.
    return process.stdin;
  }
  return input;
}
