import { OperationError, type Failure, type LineBase } from './errors.js';
import type { Operation } from './operations.js';

/**
 * The refusal of a range of lines that ends before it starts, or null. It needs no file, so the specifications judge it
 * before they look for one (spec 5.2).
 * @param params valid by their schema, with lines counted from 1
 * @param lineBase number of the caller's first line
 */
export function faultOfRange({ lineNumbers = {} }: Operation, params: unknown, lineBase: LineBase = 1): Failure | null {
  if (!('/start_line' in lineNumbers && '/end_line' in lineNumbers)) return null;
  const start = lineAt(params, 'start_line');
  const end = lineAt(params, 'end_line');
  if (start === undefined || end === undefined || start <= end) return null;
  return new OperationError(
    'invalid_range',
    (shown) => `Invalid line range: start ${String(shown(start))} > end ${String(shown(end))}`,
    { details: 'Send a start_line that is not greater than end_line, or leave one of them out.' },
  ).failureFrom(lineBase);
}

function lineAt(params: unknown, name: string): number | undefined {
  const line: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  return typeof line === 'number' ? line : undefined;
}
