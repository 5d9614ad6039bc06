/** Says how to make the file that an edit, or a write that expects a version, did not find (spec 15). */
import { availableOperations, whyAbsent, type Offer } from '../config/offer.js';
import type { Failure } from '../core/errors.js';
import { linkLeads } from '../core/failures.js';
import { isObject } from '../core/json/json-body.js';
import { listAt, textAt, type Operation, type OperationName } from '../core/operations.js';

/** How to make a file of this path, as the end of a sentence; undefined: not possible. */
export type Maker = (path: string) => string | undefined;

/** The operations that make files, simplest first. */
const makers: readonly OperationName[] = ['create', 'write', 'apply_changes'];

/** The maker for the operations that a server offers. */
export function makerOf(offer: Offer): Maker {
  const offered = availableOperations(offer);
  const name = makers.find((each) => offered.has(each));
  if (name !== undefined) return () => `call ${name} with its content.`;
  const absent = whyAbsent('write', offer);
  const isFlat = (path: string): boolean => offered.has('edit_file') && !/[/\\]/.test(path);
  return (path) =>
    isFlat(path)
      ? 'call edit_file with create_if_missing: true, and its text as append.'
      : absent && `another tool is needed. ${absent}`;
}

/** The same failure; if it concerns a missing file, the details also say how to make it. */
export function withWayToMake(operation: Operation, params: unknown, told: Failure, maker: Maker): Failure {
  const isMissing = told.kind === 'not_found' || (told.kind === 'changed' && told.data?.current_hash === undefined);
  // Nothing can be made at a dangling link.
  if (!isMissing || told.details.includes(linkLeads.nowhere)) return told;
  const path = told.data?.path ?? '';
  // Such a path can only mean a directory.
  if (/[/\\]\.{0,2}$/.test(path)) return told;
  const way = wayToMake(operation, params, told, () => maker(path));
  return way === undefined ? told : { ...told, details: `${told.details} To make this file, ${way}` };
}

function wayToMake(
  { name, changes }: Operation,
  params: unknown,
  { data }: Failure,
  maker: () => string | undefined,
): string | undefined {
  if (changes !== undefined) {
    const number = data?.change;
    return number === undefined ? undefined : withChangeNumber(listAt(params, changes)[number - 1], number);
  }
  switch (name) {
    case 'write':
      return `send the call again without ${textAt(params, 'expected_hash') === undefined ? 'If-Match' : 'expected_hash'}.`;
    case 'apply_edits':
    case 'str_replace':
    case 'insert':
      return maker();
    default:
      return undefined;
  }
}

/** @param number of the change, from 1 */
function withChangeNumber(change: unknown, number: number): string | undefined {
  // What is not there cannot be moved.
  if (!isObject(change) || change['rename_to'] !== undefined) return undefined;
  const at = `change ${String(number)}`;
  if (change['edits'] !== undefined) {
    const hash = change['expected_hash'] === undefined ? '' : ', without expected_hash';
    return `send its content in ${at} in place of edits${hash}.`;
  }
  return change['content'] === undefined ? undefined : `leave expected_hash out of ${at}.`;
}
