import { errorKinds, failure, type Failure } from './errors.js';

/** Most violations that one answer reports (spec 5.5). */
export const maxViolations = 20;

/** One fault in the parameters. */
export interface Violation {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly problem: string;
  /** How to fix it, if that adds to the problem. */
  readonly hint?: string | undefined;
}

/** The storage and edits tools have a dedicated error code for malformed text (spec 11). */
export function invalidEncoding(malformed: readonly Violation[]): Failure {
  const sentences = malformed.map(({ pointer, problem }) => `${pointer} ${problem}`);
  return failure('invalid_encoding', 'Content does not match specified encoding', {
    details: `${sentences.join('; ')}. ${errorKinds.invalid_encoding.advice}`,
    parameters: parametersAt(malformed),
  });
}

/** The failure of a request that violates the schema. */
export function invalid(violations: readonly Violation[]): Failure {
  const listed = violations.slice(0, maxViolations);
  const told = new Set<string>();
  const sentences = listed.map(({ pointer, problem, hint }) => {
    const sentence = `${pointer === '' ? 'params' : pointer} ${problem}`;
    // Given only once: twenty edits may have the same fault.
    if (hint === undefined || told.has(hint)) return `${sentence}.`;
    told.add(hint);
    return `${sentence}: ${hint}${/[.?]$/.test(hint) ? '' : '.'}`;
  });
  return failure('invalid_params', `Invalid params: ${howMany(listed.length)}`, {
    details: [...sentences, errorKinds.invalid_params.advice].join(' '),
    parameters: parametersAt(listed),
  });
}

/** The count only: the details list the violations, and a model reads both. */
function howMany(violations: number): string {
  if (violations === 1) return '1 problem';
  return violations < maxViolations ? `${String(violations)} problems` : `${String(violations)} problems or more`;
}

/** Parameter names need no escapes in a pointer. */
export function parametersAt(violations: readonly Pick<Violation, 'pointer'>[]): string[] {
  return violations.map(({ pointer }) => pointer.split('/')[1] ?? '');
}
