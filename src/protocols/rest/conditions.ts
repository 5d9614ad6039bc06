/** If-Match and If-None-Match (RFC 9110 8.8.3, 13.1). */
import { failure, type Failure } from '../../core/errors.js';
import { expectsHash, type Operation, type Precondition } from '../../core/operations.js';

/** An entity tag: strong if the first group is empty; the second group is the text between the quotes. */
const entityTag = /^(W\/)?"([\x21\x23-\x7e\x80-\uffff]*)"$/;

/** Members of a list; a comma between quotes does not separate them. */
const listMember = /(?:[^,"]|"[^"]*"?)+/g;

interface Tag {
  readonly weak: boolean;
  readonly value: string;
}

/** Invalid members, for example without quotes, are dropped: they match nothing. */
function parseTags(header: string): '*' | readonly Tag[] {
  if (header.trim() === '*') return '*';
  const tags: Tag[] = [];
  for (const [member] of header.matchAll(listMember)) {
    const [whole, weak, value] = entityTag.exec(member.trim()) ?? [];
    if (whole !== undefined && value !== undefined) tags.push({ weak: weak !== undefined, value });
  }
  return tags;
}

/** The ETag header. @param hash of the whole text */
export function etagOf(hash: string): readonly string[] {
  return ['ETag', `"${hash}"`];
}

/** The strong tags of an If-Match; weak ones never match. */
export function parseIfMatch(header: string): Precondition {
  const tags = parseTags(header);
  return tags === '*' ? '*' : tags.filter(({ weak }) => !weak).map(({ value }) => value);
}

/** Whether an If-None-Match names this version; weak tags count here. */
export function matchesIfNone(header: string, hash: string): boolean {
  const tags = parseTags(header);
  return tags === '*' || tags.some(({ value }) => value === hash);
}

/** Why an operation refuses the conditional headers, or null. */
export function refuseConditions(
  operation: Operation,
  { ifMatch, ifNoneMatch }: { readonly ifMatch: string | undefined; readonly ifNoneMatch: string | undefined },
): Failure | null {
  if (ifMatch !== undefined && !expectsHash(operation)) {
    return failure('invalid_request', `If-Match does not apply to ${operation.name}`, {
      details:
        operation.changes === undefined
          ? 'Send it without this header: only operations that take expected_hash have a precondition.'
          : hashOfEach,
    });
  }
  if (ifNoneMatch !== undefined && operation.writes) {
    return failure('invalid_request', `If-None-Match does not apply to ${operation.name}`, {
      details: whatIsMeant(operation),
    });
  }
  return null;
}

const hashOfEach = 'Send it without this header: each change has its own expected_hash.';

/** For a caller that sent If-None-Match with a write. */
function whatIsMeant(operation: Operation): string {
  if (operation.changes !== undefined) return hashOfEach;
  return expectsHash(operation)
    ? 'Send If-Match or expected_hash to write only to a known version.'
    : 'Send it without this header: it never overwrites what is there.';
}

/** If-Match and `expected_hash` may be combined if they agree. */
export function refuseContradiction(precondition: Precondition, params: unknown): Failure | null {
  if (typeof params !== 'object' || params === null) return null;
  const expected: unknown = Reflect.get(params, 'expected_hash');
  // The schema refuses anything but a string.
  if (typeof expected !== 'string') return null;
  if (precondition === expected) return null;
  if (precondition !== '*' && precondition.length === 1 && precondition[0] === expected) return null;
  return failure('invalid_request', 'If-Match and expected_hash are different', {
    details: 'Send one of them, or the same hash in both.',
  });
}
