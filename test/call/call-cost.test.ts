/** Spec 6: the maximum size of an answer is known before the call begins. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Budget } from '../../src/call/budget.js';
import { anyCaller } from '../../src/access/permission.js';
import { CallCosts } from '../../src/call/call-cost.js';
import { rows } from '../../src/core/operations.js';
import { withDirectory } from '../directory.js';

const megabyte = 1_048_576;
const files = { 'large.txt': 'x'.repeat(2 * megabyte), 'small.txt': 'x'.repeat(megabyte) };

/** Costs on a server whose clients hold so much that even the largest file could not be read immediately. */
function underPressure(directory: string): CallCosts {
  const budget = new Budget(256 * megabyte);
  budget.hold('large', 200 * megabyte);
  return new CallCosts(directory, 10 * megabyte, budget);
}

describe('the cost of a call when memory is short', () => {
  it('is six times the file size, since JSON may need six bytes for each', () =>
    withDirectory(files, (directory) => {
      const cost = underPressure(directory).of(rows.read_file, { name: 'large.txt' }, {});
      assert.equal(cost.as, 'large');
      assert.ok(cost.bytes >= 12 * megabyte && cost.bytes < 13 * megabyte, String(cost.bytes));
    }));

  it('is small for a file of up to 1 MB, for some lines of a larger one, and for an edit', () =>
    withDirectory(files, (directory) => {
      const costs = underPressure(directory);
      assert.equal(costs.of(rows.read_file, { name: 'small.txt' }, {}).as, 'small');
      assert.equal(costs.of(rows.read_file, { name: 'large.txt', start_line: 1, end_line: 2 }, {}).as, 'small');
      assert.equal(costs.of(rows.edit_file, { name: 'large.txt', append: 'x' }, {}).as, 'small');
    }));

  it('is that of several files together, and of no more than four of the largest', () =>
    withDirectory(files, (directory) => {
      const costs = underPressure(directory);
      const cost = (...paths: readonly string[]): number =>
        costs.of(rows.view, { files: paths.map((path) => ({ path })) }, {}).bytes / megabyte;
      const [large, small, none] = ['large.txt', 'small.txt', 'none.txt'];
      assert.ok(Math.abs(cost(large, small, none) - 18) < 1, String(cost(large, small, none)));
      const few = new CallCosts(directory, megabyte / 2, new Budget(256 * megabyte));
      const many = few.of(rows.view, { files: Array.from({ length: 50 }, () => ({ path: small })) }, {}).bytes;
      assert.ok(Math.abs(many / megabyte - 12) < 1, String(many));
    }));

  it('is the most there can be where the caller may not learn what is there, or the path leads outside', () =>
    withDirectory(files, (directory) => {
      const costs = underPressure(directory);
      const most = costs.of(rows.view, { path: 'large.txt' }, {}).bytes;
      const caller = anyCaller(['pub/**']);
      for (const path of ['large.txt', 'none.txt']) {
        const cost = costs.of(rows.view, { files: [{ path }, { path: 'pub/a.txt' }] }, { caller });
        assert.deepEqual([cost.as, cost.bytes > most], ['large', true], path);
      }
      const outside = costs.of(rows.view, { files: [{ path: '../x' }, { path: 'small.txt' }] }, {});
      assert.deepEqual([outside.as, outside.bytes > most], ['large', true]);
    }));

  it('is zero for a missing file', () =>
    withDirectory({}, (directory) => {
      const cost = underPressure(directory).of(rows.read_file, { name: 'none.txt' }, {});
      assert.deepEqual([cost.as, cost.bytes < 2_000], ['small', true]);
    }));
});
