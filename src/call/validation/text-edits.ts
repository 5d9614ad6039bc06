import { maxViolations, type Violation } from '../../core/violations.js';

const choice = 'send old_string, the text to replace, or at, which is "start" or "end" and adds new_string there.';

/**
 * Rules of edits by text that their schema cannot express (spec 11): exactly one of old_string and at, and no search
 * option beside at.
 * @param edits may violate the schema in other ways
 * @param list JSON pointer of them
 */
export function wrongTextEdits(edits: unknown, list = '/edits'): readonly Violation[] {
  const found: Violation[] = [];
  const given: readonly unknown[] = Array.isArray(edits) ? edits : [];
  for (const [index, edit] of given.entries()) {
    if (typeof edit !== 'object' || edit === null || Array.isArray(edit)) continue;
    const has = (name: string): boolean => Reflect.get(edit, name) !== undefined;
    const pointer = `${list}/${String(index)}`;
    if (has('old_string') && has('at')) {
      found.push({ pointer, problem: 'must not have both old_string and at', hint: choice });
    } else if (!has('old_string') && !has('at')) {
      found.push({ pointer, problem: 'must have old_string or at', hint: choice });
    }
    for (const name of has('at') ? ['replace_all', 'case_insensitive', 'whole_word'] : []) {
      const hint = 'nothing is searched for with at, so leave it out.';
      if (has(name)) found.push({ pointer: `${pointer}/${name}`, problem: 'must not be beside at', hint });
    }
    if (found.length >= maxViolations) break;
  }
  return found.slice(0, maxViolations);
}
