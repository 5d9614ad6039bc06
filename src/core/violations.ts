import { errorKinds, failure, type Failure } from './errors.js';

/** Most violations that one answer reports (spec 5.5). */
export const maxViolations = 20;

/** One fault in the parameters. */
export interface Violation {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly problem: string;
  /** How to fix it, if that adds to the problem. May begin a sentence, so it does not begin with a parameter's name. */
  readonly hint?: string | undefined;
}

/** The storage and edits tools have a dedicated error code for malformed text (spec 11). */
export function invalidEncoding(malformed: readonly Violation[]): Failure {
  const sentences = malformed.map(({ pointer, problem }) => `${inWords(pointer)} ${problem}`);
  return failure('invalid_encoding', 'Content does not match specified encoding', {
    details: `${sentences.join('; ')}. ${errorKinds.invalid_encoding.advice}`,
    parameters: parametersAt(malformed),
  });
}

/** An edit or change by its number from 1, as in other messages; anything else by its pointer. */
function inWords(pointer: string): string {
  const lists = [...pointer.matchAll(/\/(edit|change)s\/(\d+)/g)].reverse();
  if (lists.length === 0) return pointer;
  const member = pointer.slice(pointer.lastIndexOf('/') + 1);
  return [member, ...lists.map(([, item = '', index]) => `${item} ${String(Number(index) + 1)}`)].join(' of ');
}

/**
 * The failure of a request that violates the schema. The message has the first violation, since some clients show a
 * model nothing else; the details have how to fix it, and the others.
 */
export function invalid(violations: readonly Violation[]): Failure {
  const listed = violations.slice(0, maxViolations);
  const [first, ...others] = listed;
  const what = first === undefined ? '' : `: ${placeOf(first.pointer)} ${first.problem}`;
  const more = others.length === 0 ? '' : ` (and ${String(others.length)} more)`;
  const told = new Set(first?.hint === undefined ? [] : [first.hint]);
  const sentences = alikeIn(others).map(({ problem, hint, places }) => {
    // Given only once: different problems may have one remedy.
    const isNew = hint !== undefined && !told.has(hint);
    if (problem === first?.problem && !isNew) return `The same holds for ${places.join(', ')}.`;
    if (!isNew) return `${places.join(', ')} ${problem}.`;
    told.add(hint);
    return `${places.join(', ')} ${problem}: ${ended(hint)}`;
  });
  if (first?.hint !== undefined) sentences.unshift(ended(first.hint.charAt(0).toUpperCase() + first.hint.slice(1)));
  // Other messages count edits and changes from 1.
  if (listed.some(({ pointer }) => /\/\d/.test(pointer))) sentences.push('Pointers count from 0.');
  return failure('invalid_params', `Invalid params${what}${more}`, {
    details: [...sentences, errorKinds.invalid_params.advice].join(' '),
    parameters: parametersAt(listed),
  });
}

interface Alike extends Pick<Violation, 'problem' | 'hint'> {
  readonly places: string[];
}

/** Groups equal faults: twenty edits may have the same one, which is reported once. */
function alikeIn(violations: readonly Violation[]): Alike[] {
  const found: Alike[] = [];
  for (const { pointer, problem, hint } of violations) {
    const alike = found.find((each) => each.problem === problem && each.hint === hint);
    if (alike === undefined) found.push({ problem, hint, places: [placeOf(pointer)] });
    else alike.places.push(placeOf(pointer));
  }
  return found;
}

function placeOf(pointer: string): string {
  return pointer === '' ? 'params' : pointer;
}

function ended(hint: string): string {
  return /[.?]$/.test(hint) ? hint : `${hint}.`;
}

/** Parameter names need no escapes in a pointer. */
export function parametersAt(violations: readonly Pick<Violation, 'pointer'>[]): string[] {
  return violations.map(({ pointer }) => pointer.split('/')[1] ?? '');
}
