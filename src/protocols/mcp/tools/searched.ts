/** Texts for a model that both searches share. */
import type { Success } from '../../../core/errors.js';
import { onOneLine } from '../../../core/names/names-in-messages.js';
import type { Skipped } from '../../../core/search-part.js';
import type { Presentation } from './tool.js';

export function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}

const reasons: Readonly<Record<Skipped, string>> = {
  binary: 'not text',
  too_large: 'too large',
  unreadable: 'not readable',
};

/**
 * How much was left out, with the first paths: ` (left out: 5 not text: a, b, c and 2 more; 1 too large)`; '' if
 * nothing was.
 * @param length of the rest of the text: paths that do not fit are not named
 */
export function toldLeftOut(
  { result: { skipped }, forModel = {} }: Success,
  length: number,
  { maxChars }: Presentation,
): string {
  const told = (isNamed: boolean): string => {
    const first = isNamed ? (forModel.leftOut ?? []) : [];
    const left = Object.entries(reasons).flatMap(([kind, reason]) => {
      const count = Number(Reflect.get(Object(skipped), kind) ?? 0);
      const paths = first.filter(({ why }) => why === kind);
      const names = paths.map(({ path }) => onOneLine(path)).join(', ');
      const more = count > paths.length ? ` and ${count - paths.length} more` : '';
      return count === 0 ? [] : [`${count} ${reason}${names === '' ? '' : `: ${names}${more}`}`];
    });
    return left.length === 0 ? '' : ` (left out: ${left.join(first.length === 0 ? ', ' : '; ')})`;
  };
  const named = told(true);
  return maxChars > 0 && length + named.length > maxChars ? told(false) : named;
}

/** The note with a hint, on its own line; '' if there is none. */
export function toldNote({ result: { note } }: Success): string {
  return typeof note === 'string' ? `\n[${onOneLine(note)}]` : '';
}
