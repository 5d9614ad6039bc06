import type { Failure } from '../../core/errors.js';
import { isObject } from '../../core/json/json-body.js';
import { listAt, textAt, type Operation } from '../../core/operations.js';
import { maxViolations, type Violation } from '../../core/violations.js';
import { wrongTextEdits } from './text-edits.js';

/** What a change may do to its path. */
const kinds = ['edits', 'content', 'delete', 'rename_to'] as const;

const choice =
  'edits replace texts in the file, content is the whole file, delete: true removes it, rename_to moves it, alone or beside edits or content.';

/**
/**
 * Rules of changes that their schema cannot express (spec 14 and 17): each has edits, content or delete, or rename_to
 * alone or beside one of the first two, and only members that go with it; edits have their own rules.
 * @param changes may violate the schema in other ways
 */
export function wrongChanges(changes: unknown): readonly Violation[] {
  const found: Violation[] = [];
  const list: readonly unknown[] = Array.isArray(changes) ? changes : [];
  for (const [index, change] of list.entries()) {
    if (!isObject(change)) continue;
    const pointer = `/changes/${String(index)}`;
    found.push(
      ...wrongFiles(change, pointer),
      ...wrongKinds(change, pointer),
      ...wrongTextEdits(change['edits'], `${pointer}/edits`),
    );
    if (found.length >= maxViolations) break;
  }
  return found.slice(0, maxViolations);
}

/**
 * The refusal of parameters, with the path of the change at fault. A malformed text fails as its change; other
 * violations are listed for all changes at once.
 */
export function aboutChange({ changes }: Operation, params: unknown, refused: Failure, pointer = ''): Failure {
  const [, list, index = '', member = ''] = pointer.split('/');
  if (changes === undefined || list !== changes || index === '') return refused;
  const change = listAt(params, changes)[Number(index)];
  const path = (member === 'rename_to' ? textAt(change, member) : undefined) ?? textAt(change, 'path');
  const number = refused.kind === 'invalid_encoding' ? { change: Number(index) + 1 } : {};
  return { ...refused, data: { ...number, ...(path === undefined ? {} : { path }) } };
}

/** Which file, or which files. */
function wrongFiles(change: Readonly<Record<string, unknown>>, pointer: string): Violation[] {
  if (change['glob'] === undefined) {
    const hint = 'expected a string, or glob in place of it.';
    return change['path'] === undefined ? [{ pointer: `${pointer}/path`, problem: 'is required', hint }] : [];
  }
  const hint = 'a glob stands in place of path, for edits of several files.';
  return ['path', 'content', 'delete', 'rename_to', 'expected_hash']
    .filter((name) => isGiven(change, name))
    .map((name) => ({ pointer: `${pointer}/${name}`, problem: 'must not be beside glob', hint }));
}

/** Clients that send every member send `delete: false` for "no". */
function isGiven(change: Readonly<Record<string, unknown>>, name: string): boolean {
  return change[name] !== undefined && !(name === 'delete' && change[name] === false);
}

function wrongKinds(change: Readonly<Record<string, unknown>>, pointer: string): Violation[] {
  const has = (name: string): boolean => isGiven(change, name);
  const given = kinds.filter(has);
  const found: Violation[] = [];
  if (given.length === 0) {
    const what = has('glob') ? 'edits' : 'edits, content, delete or rename_to';
    found.push({ pointer, problem: `must have ${what}`, hint: choice });
  }
  const isText = (name: string): boolean => name === 'edits' || name === 'content';
  const isMovedText = given.length === 2 && given.some(isText) && has('rename_to');
  if (given.length > 1 && !isMovedText) {
    found.push({ pointer, problem: `must have only one of ${given.join(' and ')}`, hint: choice });
  }
  if (has('encoding') && !has('content')) {
    const hint = 'it tells how content is written, so leave it out.';
    found.push({ pointer: `${pointer}/encoding`, problem: 'must not be without content', hint });
  }
  if (has('expected_hash') && has('rename_to') && !given.some(isText)) {
    const hint = 'a file keeps its content when it moves, so leave it out.';
    found.push({ pointer: `${pointer}/expected_hash`, problem: 'must not be beside rename_to', hint });
  }
  return found;
}
