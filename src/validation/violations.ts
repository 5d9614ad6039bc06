import { errorKinds, failure, type Failure } from '../errors.js';

/** How many violations one answer reports (contract 5.5). */
export const maxViolations = 20;

/** What is wrong at one place of the parameters. */
export interface Violation {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly problem: string;
  /** What to do about it, if that says more than the problem. */
  readonly hint?: string | undefined;
}

/** The storage and edits tools have an error code of their own for malformed text (contract 11). */
export function invalidEncoding(malformed: readonly Violation[]): Failure {
  const sentences = malformed.map(({ pointer, problem }) => `${pointer} ${problem}`);
  return failure('invalid_encoding', 'Content does not match specified encoding', {
    details: `${sentences.join('; ')}. ${errorKinds.invalid_encoding.advice}`,
    parameters: parametersAt(malformed),
  });
}

/** The failure of a request that breaks the schema. */
export function invalid(violations: readonly Violation[]): Failure {
  const listed = violations.slice(0, maxViolations);
  const sentences = listed.map(({ pointer, problem }) => `${pointer === '' ? 'params' : pointer} ${problem}`);
  const told = new Set<string>();
  const advice = listed.map(({ hint }, index) => {
    const sentence = sentences[index] ?? '';
    // Said once: twenty edits may have the same mistake.
    if (hint === undefined || told.has(hint)) return `${sentence}.`;
    told.add(hint);
    return `${sentence}: ${hint}${/[.?]$/.test(hint) ? '' : '.'}`;
  });
  return failure('invalid_params', `Invalid params: ${sentences.join('; ')}`, {
    details: [...advice, errorKinds.invalid_params.advice].join(' '),
    parameters: parametersAt(listed),
  });
}

/** Names of parameters need no escapes in a pointer. */
function parametersAt(violations: readonly Violation[]): string[] {
  return violations.map(({ pointer }) => pointer.split('/')[1] ?? '');
}
