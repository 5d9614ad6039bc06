import type { OperationName } from '../../src/core/operations.js';
import type { ToolsetName } from '../../src/config/offer.js';
import { availableOperations } from '../../src/config/offer.js';

/** The operations of a server, in table order. docs/specification.md lists them in words, and a test checks it. */
export function offered(toolsets: readonly ToolsetName[] = ['files'], readOnly = false): OperationName[] {
  return Array.from(availableOperations({ toolsets, readOnly }).values(), ({ name }) => name);
}
