/**
 * A file on a FUSE file system (protocol version 7.31, linux/fuse.h): every read, write and sync of it comes here. The
 * root of this file system is the file itself, so nothing is ever looked up.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, read, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The backing store. Offsets and sizes in bytes. */
export interface Content {
  readonly size: number;
  read(offset: number, size: number): Buffer;
  write(offset: number, bytes: Buffer): void;
  /** All earlier writes are on disk when this returns. */
  sync(): void;
}

const opcodes = {
  getattr: 3,
  setattr: 4,
  open: 14,
  read: 15,
  write: 16,
  release: 18,
  fsync: 20,
  flush: 25,
  init: 26,
} as const;
const silent: ReadonlySet<number> = new Set([2, 36, 42]);
const ENOSYS = -38;
const headerIn = 40;
const headerOut = 16;
const largestWrite = 131_072;

/**
 * Mount such a file over an empty one. This process's event loop serves it, so never wait synchronously for a process
 * that uses it.
 * @returns a function that unmounts it once it is unused
 */
export async function mountFile(path: string, content: Content): Promise<() => Promise<void>> {
  const device = openSync('/dev/fuse', 'r+');
  const options = 'fd=3,rootmode=100600,user_id=0,group_id=0';
  await run('mount', ['-i', '-t', 'fuse', '-o', options, 'fuse', path], device);
  const ended = serve(device, content);
  return async () => {
    await unmount(path);
    await ended;
  };
}

/** A loop device may be released a moment after its file system. @throws Error if it stays in use */
export async function unmount(path: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await run('umount', [path]);
      return;
    } catch (error) {
      if (tries === 300) throw error;
      await sleep(100);
    }
  }
}

/** Run a program to completion asynchronously. @throws Error with its output */
export async function run(program: string, args: readonly string[], descriptor?: number): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe', descriptor ?? 'ignore'] });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${errors}`);
}

function serve(device: number, content: Content): Promise<void> {
  const request = Buffer.alloc(largestWrite + 4096);
  return new Promise((resolve) => {
    const next = (): void => {
      read(device, request, 0, request.length, null, (error, length) => {
        // ENODEV: unmounted. ENOENT and EINTR: an interrupted request.
        if (error !== null && error.code !== 'ENOENT' && error.code !== 'EINTR') {
          closeSync(device);
          resolve();
          return;
        }
        if (error === null) answer(device, request.subarray(0, length), content);
        next();
      });
    };
    next();
  });
}

function answer(device: number, request: Buffer, content: Content): void {
  const opcode = request.readUInt32LE(4);
  if (silent.has(opcode)) return;
  const body = bodyOf(opcode, request.subarray(headerIn), content);
  const header = Buffer.alloc(headerOut);
  header.writeUInt32LE(headerOut + (body?.length ?? 0), 0);
  header.writeInt32LE(body === null ? ENOSYS : 0, 4);
  request.copy(header, 8, 8, 16);
  writeSync(device, body === null ? header : Buffer.concat([header, body]));
}

/** @returns null for requests not needed here */
function bodyOf(opcode: number, argument: Buffer, content: Content): Buffer | null {
  switch (opcode) {
    case opcodes.init:
      return init();
    case opcodes.getattr:
    case opcodes.setattr:
      return attributes(content.size);
    case opcodes.open:
      return Buffer.alloc(16);
    case opcodes.read:
      return content.read(Number(argument.readBigUInt64LE(8)), argument.readUInt32LE(16));
    case opcodes.write: {
      const size = argument.readUInt32LE(16);
      // The request's buffer is reused.
      content.write(Number(argument.readBigUInt64LE(8)), Buffer.from(argument.subarray(40, 40 + size)));
      const written = Buffer.alloc(8);
      written.writeUInt32LE(size, 0);
      return written;
    }
    case opcodes.fsync:
      content.sync();
      return Buffer.alloc(0);
    case opcodes.flush:
    case opcodes.release:
      return Buffer.alloc(0);
    default:
      return null;
  }
}

function init(): Buffer {
  const body = Buffer.alloc(64);
  body.writeUInt32LE(7, 0);
  body.writeUInt32LE(31, 4);
  body.writeUInt16LE(12, 16);
  body.writeUInt16LE(9, 18);
  body.writeUInt32LE(largestWrite, 20);
  body.writeUInt32LE(1, 24);
  return body;
}

function attributes(size: number): Buffer {
  const body = Buffer.alloc(104);
  // Valid for a day, since nothing else changes it.
  body.writeBigUInt64LE(86_400n, 0);
  body.writeBigUInt64LE(1n, 16);
  body.writeBigUInt64LE(BigInt(size), 24);
  body.writeBigUInt64LE(BigInt(size / 512), 32);
  body.writeUInt32LE(0o100600, 76);
  body.writeUInt32LE(1, 80);
  body.writeUInt32LE(4096, 96);
  return body;
}
