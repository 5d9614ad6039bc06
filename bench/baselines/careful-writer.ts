/**
 * The write ceiling of a single program that keeps the same promise: temporary file, fsync, rename, fsync of the
 * directory. It reads, checks and locks nothing, keeps its data in memory and serves no client. Arguments: directory,
 * -, -, work (edit: files of a fixed size in turn; append: 40 bytes to one file, restarted when it reaches the size),
 * number of files, size in bytes. It writes for the number of milliseconds given on stdin and prints the latencies.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Buffer } from 'node:buffer';

const [directory = '.', , , work = 'edit', files = '1', size = '1024'] = process.argv.slice(2);
const entry = Buffer.alloc(40, 'Entry \n');
const content = Buffer.alloc(Number(size), 'A line of "ordinary" prose, 60 bytes long with its newline.\n');
const folder = openSync(directory, 'r');
let written = 0;
let length = 0;

function write(): void {
  const [name, bytes] = work === 'append' ? next() : [`file-${String(written % Number(files))}.txt`, content];
  written++;
  const temporary = join(directory, `.${name}.tmp`);
  const file = openSync(temporary, 'wx', 0o600);
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, join(directory, name));
  fsyncSync(folder);
}

function next(): [string, Buffer] {
  if (length + entry.length > content.length) length = 0;
  entry.copy(content, length);
  length += entry.length;
  return ['file.txt', content.subarray(0, length)];
}

/** @returns the milliseconds of each write */
function writeFor(ms: number): number[] {
  const latencies: number[] = [];
  const end = performance.now() + ms;
  for (let before = performance.now(); before < end;) {
    write();
    const now = performance.now();
    latencies.push(now - before);
    before = now;
  }
  return latencies;
}

process.stdin.once('data', (text) => {
  const ms = Number(text.toString());
  writeFor(ms / 4);
  const processor = process.cpuUsage();
  const began = performance.now();
  const latencies = writeFor(ms);
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(processor);
  console.log(JSON.stringify({ latencies, took, processorMs: (user + system) / 1000 }));
});
