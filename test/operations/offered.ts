import type { OperationName } from '../../src/core/operations.js';
import type { HistoryLimits } from '../../src/core/thread/task.js';
import type { ToolsetName } from '../../src/config/offer.js';
import { availableOperations } from '../../src/config/offer.js';

export const historyLimits: HistoryLimits = { days: 30, mostBytes: 1_073_741_824 };

/** The operations of a server, in table order. docs/specification.md lists them in words, and a test checks it. */
export function offered(
  toolsets: readonly ToolsetName[] = ['files'],
  readOnly = false,
  history?: HistoryLimits,
): OperationName[] {
  return Array.from(availableOperations({ toolsets, readOnly, history }).values(), ({ name }) => name);
}
