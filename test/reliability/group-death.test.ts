/** A worker thread dies with a group of edits: the outcome of each (spec 5.5, 6). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Outcome } from '../../src/core/errors.js';
import { withDirectory } from '../directory.js';
import { arrange, withPool, type Call, type Moment } from './dying-pool.js';
import { Ledger } from './ledger.js';
import { eventually, temporaryFiles } from './server.js';

/** The first edit changes nothing, so it does not wait for the disk; those that arrive after it form a group. */
function asGroup(call: Call, lines: readonly string[]): Promise<Outcome>[] {
  void call('edit_file', { name: 'a.txt' });
  return lines.map((append) => call('edit_file', { name: 'a.txt', append }));
}

const fate = (outcome: Outcome): string => (outcome.ok ? 'done' : (outcome.data?.applied ?? outcome.kind).toString());

const lines = ['a-0', 'a-1', 'a-2', 'a-3'];
const done = lines.map(() => 'done');
const unknown = lines.map(() => 'unknown');

const fates: readonly (readonly [Moment, readonly string[], { written: boolean }])[] = [
  ['temporary', done, { written: true }],
  ['rename', unknown, { written: false }],
  ['renamed', unknown, { written: true }],
];

describe(
  'the death of a worker thread with a group of edits',
  { timeout: 600_000, skip: process.platform !== 'linux' && 'needs /proc' },
  () => {
    for (const [moment, expected, { written }] of fates) {
      it(`at ${moment}: ${expected[0] ?? ''}, all of them`, () =>
        withDirectory({ 'a.txt': '' }, (directory) =>
          withPool(directory, 1, async (call) => {
            arrange('a.txt', 'exit', moment);
            const group = asGroup(call, lines);
            const others = Array.from({ length: 3 }, () => call('read_file', { name: 'a.txt' }));
            assert.deepEqual((await Promise.all(group)).map(fate), expected);
            assert.deepEqual((await Promise.all(others)).map(fate), ['done', 'done', 'done']);
            const text = readFileSync(join(directory, 'a.txt'), 'utf8');
            assert.equal(text, written ? 'a-0\na-1\na-2\na-3\n' : '');
            const after = await call('edit_file', { name: 'a.txt', append: 'after' });
            assert.equal(fate(after), 'done');
            assert.ok(await eventually(() => temporaryFiles(directory).length === 0), 'nothing is left');
          }),
        ));
    }

    it('costs the one edit that kills it, and the others are rerun in order', () =>
      withDirectory({ 'a.txt': '' }, (directory) =>
        withPool(directory, 1, async (call) => {
          arrange('a.txt', 'exit', 'apply');
          // 'a-0', 'a-1', then a text that makes the file exactly as long as kills.
          const deadly = 'x'.repeat(777 - 'a-0\na-1\n\n'.length);
          const outcomes = await Promise.all(asGroup(call, ['a-0', 'a-1', deadly, 'a-2', 'a-3']));
          assert.deepEqual(outcomes.map(fate), ['done', 'done', 'internal', 'done', 'done']);
          const ledger = new Ledger();
          for (const [index, outcome] of outcomes.entries()) {
            if (outcome.ok)
              ledger.acknowledge(`a-${String(index > 2 ? index - 1 : index)}`, outcome.result['new_total_lines']);
          }
          ledger.check(join(directory, 'a.txt'));
        }),
      ));

    it('repeated, costs at most the edits that were claimed', () =>
      withDirectory({ 'a.txt': '' }, (directory) =>
        withPool(directory, 2, async (call) => {
          const ledger = new Ledger();
          for (let round = 0; round < 6; round++) {
            arrange('a.txt', 'exit', (['temporary', 'rename', 'renamed'] as const)[round % 3] ?? 'rename');
            const sent = Array.from({ length: 20 }, (_, i) => `a-${String(round * 20 + i)}`);
            for (const [i, outcome] of (await Promise.all(asGroup(call, sent))).entries()) {
              const line = sent[i] ?? '';
              if (outcome.ok) ledger.acknowledge(line, outcome.result['new_total_lines']);
              else if (outcome.data?.applied === 'unknown') ledger.leaveOpen(line);
              else assert.fail(`${line}: ${outcome.message}`);
            }
          }
          ledger.check(join(directory, 'a.txt'));
          assert.equal(ledger.size, 40, 'a death before the claim costs nothing');
        }),
      ));
  },
);
