import { type OperationName, type Toolset } from '../../src/core/operations.js';
import { availableOperations } from '../../src/config/offer.js';

/** The names that a server lists, in the order of the table. docs/specification.md has them in words, and a test of it. */
export function offered(toolsets: readonly Toolset[] = ['files'], readOnly = false): OperationName[] {
  return Array.from(availableOperations({ toolsets, readOnly }).values(), ({ name }) => name);
}
