import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

/** Clients' knowledge of a file to which they append their own lines: the oracle of its content. */
export class Ledger {
  private readonly acknowledged = new Set<string>();
  private readonly refused = new Set<string>();
  private readonly unanswered = new Set<string>();
  /** Lines whose acknowledgement gave their position. */
  private readonly positions = new Map<string, number>();

  /** @param totalLines from the answer: the line is the last of this many */
  acknowledge(line: string, totalLines: unknown): void {
    this.acknowledged.add(line);
    if (typeof totalLines === 'number') this.positions.set(line, totalLines);
  }

  refuse(line: string): void {
    this.refused.add(line);
  }

  /** It may or may not have been written. */
  leaveOpen(line: string): void {
    this.unanswered.add(line);
  }

  get size(): number {
    return this.acknowledged.size;
  }

  /**
   * Every acknowledged line exactly once and where its answer said, no refused one, an unanswered one at most once,
   * nothing else; and the lines of each author (`author-number`) in the order in which they were sent. A file may be
   * missing if no acknowledged line has created it.
   */
  check(path: string): void {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    assert.ok(text === '' || text.endsWith('\n'), 'the last line is whole');
    const lines = text.split('\n').slice(0, -1);
    const places = new Map<string, number>();
    const last = new Map<string, number>();
    for (const [index, line] of lines.entries()) {
      assert.ok(!places.has(line), `${line} is there twice`);
      places.set(line, index + 1);
      assert.ok(!this.refused.has(line), `${line} was refused and is there`);
      assert.ok(this.acknowledged.has(line) || this.unanswered.has(line), `${line} was never sent`);
      const [, author = '', number = ''] = /^(.*)-(\d+)$/.exec(line) ?? [];
      assert.ok((last.get(author) ?? -1) < Number(number), `${line} is out of order`);
      last.set(author, Number(number));
    }
    for (const line of this.acknowledged) assert.ok(places.has(line), `${line} was acknowledged and is lost`);
    for (const [line, place] of this.positions)
      assert.equal(places.get(line), place, `${line} is where its answer said`);
  }

  /** After a check of a file that is no longer written: its content is now certain. */
  settle(path: string): void {
    const lines = new Set(readFileSync(path, 'utf8').split('\n'));
    for (const line of this.unanswered) (lines.has(line) ? this.acknowledged : this.refused).add(line);
    this.unanswered.clear();
  }
}
