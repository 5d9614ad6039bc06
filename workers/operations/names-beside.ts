/** Suggestions of nearby names for a call with a missing flat name (spec 15). */
import { OperationError } from '../../src/core/errors.js';
import { oneForm } from '../../src/core/names/names-meant.js';
import { didYouMeanOneOf, toldApart } from '../../src/core/names/names-in-messages.js';
import { flatNamesMeant, flatNamesThat } from '../disk/paths/meant.js';
import type { Context } from '../handler.js';

type Where = Pick<Context, 'workspace'>;

export const callListFiles = 'Call list_files to see which files exist.';

/** A question that offers the names probably meant, followed by a space; '' if there are none. */
export function otherNames({ workspace: { root, setup } }: Where, name: string): string {
  return flatNamesMeant(root, name, setup.names);
}

export function fileNotFound(context: Where, name: string): OperationError {
  const details = `${otherNames(context, name)}${callListFiles}`;
  return new OperationError('not_found', `File '${name}' not found`, { details });
}

/** Like otherNames, but only names that look the same and differ in Unicode form or kinds of spaces. */
export function twins({ workspace: { root, setup } }: Where, name: string): string {
  return didYouMeanOneOf(flatNamesThat('lookTheSame', root, name, setup.names), name);
}

/** For a model that creates a file: names it may have meant instead; undefined if there are none. */
export function noteOnCase({ workspace: { root, setup } }: Where, name: string): string | undefined {
  const others = flatNamesThat('areAlike', root, name, setup.names)
    .filter((other) => oneForm(other) !== oneForm(name))
    .map((other) => toldApart(other, name));
  return others.length === 0 ? undefined : `Note: this file is not ${others.join(' or ')}, whose name differs in case.`;
}
