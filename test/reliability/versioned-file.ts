import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Reply } from './client.js';

/** A version of the file: its number and who wrote it. */
interface Version {
  readonly number: number;
  readonly author: string;
}

const lines = 300;
const textOf = ({ number, author }: Version): string => `version ${String(number)} by ${author} `.padEnd(60, '.');

/**
 * A file in which every line names the version, and clients' knowledge of it: the oracle of its content. Each edit
 * replaces every line and expects the version read, so versions form a chain.
 */
export class VersionedFile {
  private acknowledged: Version = { number: 0, author: 'start' };
  private unanswered: Version[] = [];
  private readonly path: string;

  constructor(
    directory: string,
    readonly name: string,
  ) {
    this.path = join(directory, name);
  }

  /** The text before the first edit. */
  static start(): string {
    return `${textOf({ number: 0, author: 'start' })}\n`.repeat(lines);
  }

  /** Write the next version; the name of its author must be new. If another client is first, the answer is 412. */
  async advance(client: Client, author: string): Promise<Reply> {
    const read = await client.call('read_file', { name: this.name, return_hash: true, start_line: 1, end_line: 1 });
    if (read.kind !== 'done') return read;
    const number = Number(/^version (\d+) /.exec(String(read.result['content']))?.[1]) + 1;
    const content = textOf({ number, author });
    const edits = Array.from({ length: lines }, (_, i) => ({ line: i + 1, operation: 'replace', content }));
    const version = { number, author };
    this.unanswered.push(version);
    const reply = await client.call('edit_file', { name: this.name, edits, expected_hash: read.result['hash'] });
    if (reply.kind === 'unanswered') return reply;
    this.unanswered = this.unanswered.filter((other) => other !== version);
    if (reply.kind === 'done') this.acknowledge(version);
    return reply;
  }

  /** Answers may overtake each other. */
  private acknowledge(version: Version): void {
    assert.notEqual(version.number, this.acknowledged.number, 'two clients were told that theirs is this version');
    if (version.number > this.acknowledged.number) this.acknowledged = version;
  }

  /** Once all writers are done: the file is one whole version, the last acknowledged one or an unanswered one. */
  settle(): void {
    const [first = '', ...rest] = readFileSync(this.path, 'utf8').split('\n');
    assert.deepEqual([rest.length, rest.pop()], [lines, ''], 'all lines are there');
    assert.ok(
      rest.every((line) => line === first),
      `${this.name} is torn: ${first} … ${rest.at(-1) ?? ''}`,
    );
    const last = this.acknowledged;
    const current = [last, ...this.unanswered].find((version) => textOf(version) === first);
    assert.ok(current, `${this.name} holds what nobody wrote: ${first}`);
    assert.ok(
      current.number > last.number || current === last,
      `${first} is older than what was acknowledged: ${textOf(last)}`,
    );
    this.acknowledged = current;
    this.unanswered = [];
  }
}
