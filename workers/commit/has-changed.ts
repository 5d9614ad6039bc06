import { OperationError } from '../../src/core/errors.js';
import type { Precondition } from '../../src/core/operations.js';

/** A write that may expect a version of its file. */
interface Expecting {
  readonly name: string;
  readonly create_if_missing?: boolean | undefined;
  readonly expected_hash?: string | undefined;
  /** How to find out which files exist. */
  readonly look?: string;
  /** A question that offers other names if there is no file, followed by a space. */
  readonly meant?: string;
  /** What to do if the file is another version; defaults to the advice for that kind of failure. */
  readonly otherwise?: string;
}

/** The expectation that `delete`, `str_replace` and the like have of a path. */
export function expectingAt(params: { readonly path: string; readonly expected_hash?: string }): Expecting {
  return {
    name: params.path,
    expected_hash: params.expected_hash,
    look: 'Look into its directory to see what is there.',
  };
}

/** Whether the call expects any version. @param precondition from If-Match, here and below */
export function isExpecting({ expected_hash }: Expecting, precondition: Precondition | undefined): boolean {
  return expected_hash !== undefined || precondition !== undefined;
}

/**
 * @param hashNow of the file; called only if a version is expected
 * @throws OperationError changed, if the file is not the expected version
 */
export function assertExpected(about: Expecting, precondition: Precondition | undefined, hashNow: () => string): void {
  if (!isExpecting(about, precondition)) return;
  const { expected_hash } = about;
  const current = hashNow();
  const expected =
    (expected_hash === undefined || expected_hash === current) &&
    (precondition === undefined || precondition === '*' || precondition.includes(current));
  if (!expected) throw hasChanged(about, precondition, current);
}

/** As hasChanged, for a missing file. @param refusal the error of a write that expects no hash */
export function isGone({ name }: Expecting, { failure: { details } }: OperationError): OperationError {
  return new OperationError('changed', `File '${name}' has changed`, {
    details: `Nothing was written: no file is at this path. ${details}`,
  });
}

/**
 * The answer to a write that expects another version of its file (spec 5.4). The advice depends on the reason: a hash
 * that no version can have is a mistake, which reading the file again does not fix.
 *
 * @param precondition from If-Match
 * @param current hash of the file now; undefined if there is none
 */
export function hasChanged(
  params: Expecting,
  precondition: Precondition | undefined,
  current: string | undefined,
): OperationError {
  const message = `File '${params.name}' has changed`;
  if (current === undefined) {
    const given = precondition === undefined ? 'expected_hash' : 'If-Match';
    const { create_if_missing, meant = '' } = params;
    const {
      look = `Call list_files to see which files exist, or leave ${given} out and send create_if_missing: true to create this one.`,
    } = params;
    const details =
      create_if_missing === true
        ? `Nothing was written: there is no file of this name, so no hash fits it. ${meant}Leave ${given} out to create it.`
        : `Nothing was written: there is no file of this name. ${meant}${look}`;
    return new OperationError('changed', message, { details });
  }
  const misspelt = misspeltIn(params.expected_hash, precondition, current);
  const details = misspelt === undefined ? params.otherwise : `Nothing was written: ${misspelt}`;
  return new OperationError('changed', message, {
    ...(details === undefined ? {} : { details }),
    data: { current_hash: current },
  });
}

function misspeltIn(
  expected: string | undefined,
  precondition: Precondition | undefined,
  current: string,
): string | undefined {
  const isHash = (text: string): boolean => text.length === current.length && /^[0-9a-f]+$/.test(text);
  const form = `a hash, ${String(current.length)} lower-case hex digits`;
  if (expected !== undefined && !isHash(expected)) {
    // Also for the library, which has no return_hash of its own.
    return `expected_hash is not written as ${form}. Send it exactly as a server gives it for return_hash, without anything around it.`;
  }
  if (precondition === undefined || precondition === '*' || precondition.some(isHash)) return undefined;
  return `If-Match holds no strong tag with ${form}. Send an ETag exactly as it came, in its quotes.`;
}
