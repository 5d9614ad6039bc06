/** Patterns with a meaning in other programs that they lack here: what to send instead (spec 13). */

/** The problem, in words that follow the name of the pattern, and a sentence that says what to send instead. */
export type Foreign = readonly [problem: string, advice: string];

const forItself = 'A backslash before a character takes it as it stands.';

/** Syntax that is refused at once: taken literally, it would match the wrong files. */
export function foreignSyntax(text: string): Foreign | undefined {
  return extended(text) ?? excludingInside(text) ?? counting(text) ?? regularExpression(text) ?? excludedList(text);
}

/** The text with spaces for sets and escaped characters, so that only syntax is found, at its offset. */
function bare(text: string): string {
  return text.replaceAll(/\\.|\[[!^]?\]?[^\]]*\]/gsu, (found) => ' '.repeat(found.length));
}

/** `!(a)`, `@(a|b)`, `+(a)` of bash. */
function extended(text: string): Foreign | undefined {
  const found = /[!@+]\(([^()]*)\)?/.exec(bare(text));
  if (found === null) return undefined;
  const { 0: whole, index } = found;
  const inside = text.slice(index + 2, index + whole.length).replace(/\)$/, '');
  const listed = inside.includes('|') ? `{${inside.replaceAll('|', ',')}}` : inside;
  const instead = (by: string): string => text.slice(0, index) + by + text.slice(index + whole.length);
  const sent = {
    '@': `Send ${instead(listed)}.`,
    '+': `Send ${instead(listed)}, or ${instead('*')}.`,
    '!':
      whole === text
        ? `Send !${listed} for all other files.`
        : `Send ${instead('*')}, and pass over ${instead(listed)}.`,
  }[whole.charAt(0)];
  return ['has an extended glob, which is not supported', `${sent ?? ''} ${forItself}`];
}

/** `{*.ts,!*.d.ts}`: a `!` excludes only in front of everything. */
function excludingInside(text: string): Foreign | undefined {
  const found = /\{((?:[^{}]*,)?![^{}]*)\}?/.exec(bare(text));
  if (found === null) return undefined;
  const end = found.index + found[0].length;
  const inside = text.slice(found.index + 1, end).replace(/\}$/, '');
  const instead = (by: string): string => text.slice(0, found.index) + by + text.slice(end);
  return ['has a ! inside of braces', `${sentFor(partsOf(inside, ','), instead)} ${forItself}`];
}

/**
 * What to send for parts, some of which begin with a `!`. @param instead the pattern with one part in place of them all
 */
function sentFor(parts: readonly string[], instead = (one: string): string => one): string {
  const wanted = parts.filter((part) => !part.startsWith('!'));
  const others = parts.filter((part) => part.startsWith('!')).map((part) => part.slice(1));
  if (wanted.length === parts.length) return `Send ${instead(braced(wanted))}.`;
  const over = instead(braced(others));
  if (wanted.length === 0 && over === braced(others)) return `Send !${over}.`;
  const all = instead(wanted.length === 0 ? '*' : braced(wanted));
  return `Send ${all}, and pass over ${over}: a ! excludes only in front of the whole pattern.`;
}

function braced(parts: readonly string[]): string {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : `{${parts.join(',')}}`;
}

const mostCounted = 20;

/** `{1..3}`. */
function counting(text: string): Foreign | undefined {
  const found = /\{(-?\d{1,9}|[a-z])\.\.(-?\d{1,9}|[a-z])(?:\.\.-?\d+)?\}/i.exec(bare(text));
  if (found === null) return undefined;
  const [whole, first = '', last = ''] = found;
  const isNumber = /\d/.test(first);
  const [from, to] = [first, last].map((end) => (isNumber ? Number(end) : end.charCodeAt(0)));
  const count = Math.abs((to ?? 0) - (from ?? 0)) + 1;
  const step = (to ?? 0) < (from ?? 0) ? -1 : 1;
  const all = Array.from({ length: Math.min(count, mostCounted) }, (_, index) => (from ?? 0) + step * index);
  const list = all.map((each) => (isNumber ? String(each) : String.fromCharCode(each))).join(',');
  const sent = count > mostCounted || Number.isNaN(count) ? `{${first},…,${last}}` : `{${list}}`;
  return ['counts in braces, which is not supported', `Write all of it out, as in ${text.replace(whole, () => sent)}.`];
}

/** Syntax that only a regular expression has: `.*` or an end beside `\.`, and repeated classes. */
function regularExpression(text: string): Foreign | undefined {
  const isMeant = /^!?\^|\$$/.test(bare(text)) && /\\\.|\.[*+]/.test(text);
  if (!isMeant && !/\\[wdsWDS][*+]|\(\?:|\]\+|(?:^|\/)!?\.\+\\?\./.test(text)) return undefined;
  const sent = globOf(text);
  const advice = sent === undefined ? 'Use * for any characters, ? for one and {a,b} for either.' : `Send ${sent}.`;
  return ['is a regular expression, not a glob', advice];
}

/** The glob that an expression means; undefined if that is not clear. */
function globOf(expression: string): string | undefined {
  if (/\(\?[^:]/.test(expression)) return undefined;
  const mark = expression.startsWith('!') ? '!' : '';
  const open = expression.slice(mark.length).replace(/^(?!\^)(?!\.[*+])(?=\\\.)/, '.*');
  const text = open
    .replace(/^\^|\$$/g, '')
    .replaceAll(/\(\?:|\(/g, '(')
    .replaceAll(/(\/)?(?:\.|\\[wdsWDS]|\[[^\]]*\])[*+]\??(\/)?/g, (found, before = '', behind = '') => {
      const anyDepth = before !== '' && behind === '' && /^\/\.[*+]/.test(found);
      return `${String(before)}${anyDepth ? '**/*' : '*'}${String(behind)}`;
    })
    .replaceAll(/\(([^()]*)\)/g, (_, inside: string) =>
      inside.includes('|') ? `{${inside.replaceAll('|', ',')}}` : inside,
    )
    .replaceAll(/(\w)\?/g, '{,$1}')
    .replaceAll(/\\([./-])/g, '$1');
  return /[\\()^$+|]|\}\?/.test(text) ? undefined : mark + text;
}

/** `!*.ts,*.tsx` would exclude nothing, and find everything. */
function excludedList(text: string): Foreign | undefined {
  if (!text.startsWith('!')) return undefined;
  const parts = partsOf(text, ',').map((part) => part.replace(/^!/, ''));
  if (parts.length < 2 || !parts.slice(1).every((part) => part.startsWith('*'))) return undefined;
  return ['is a list without braces', `Send !${braced(parts)}.`];
}

/**
 * Syntax that is refused only if it matches no file literally: names may contain commas, spaces and the like. Undefined
 * if the pattern has no other reading.
 */
export function otherwiseMeant(text: string): Foreign | undefined {
  const glob = text.includes('\\.') ? globOf(text) : undefined;
  if (glob !== undefined) return ['matches no file as it stands, and looks like a regular expression', `Send ${glob}.`];
  const problem = 'matches no file as it stands, and looks like a list';
  const choice = /(?<![?*])\(([^()]*\|[^()]*)\)/.exec(bare(text));
  if (choice !== null) {
    const inside = text.slice(choice.index + 1, choice.index + choice[0].length - 1);
    const sent = `{${inside.replaceAll('|', ',')}}`;
    return [problem, `Send ${text.slice(0, choice.index)}${sent}${text.slice(choice.index + choice[0].length)}.`];
  }
  const separator = [',', '|'].find((each) => partsOf(text, each).length > 1);
  const parts = partsOf(text, separator ?? ' ');
  const areFiles = parts.every((part) => /[*?]|\.\w+$/.test(part)) && parts.some((part) => /[*?]/.test(part));
  if (parts.length < 2 || (separator === undefined && !areFiles)) return undefined;
  return [problem, sentFor(parts)];
}

/** The parts of a text, split at separators outside braces, parentheses and sets. */
function partsOf(text: string, separator: string): readonly string[] {
  return partsOutside(text, separator, '{(', '})').filter((part) => part !== '');
}

/** The patterns of a list, split at commas outside braces and sets. */
export function patternsIn(list: string): readonly string[] {
  return partsOutside(list, ',', '{', '}');
}

/** @param opening characters that begin a part which is not split */
function partsOutside(text: string, separator: string, opening: string, closing: string): readonly string[] {
  let depth = 0;
  const parts = [''];
  const plain = bare(text);
  for (let at = 0; at < text.length; at++) {
    const character = plain.charAt(at);
    if (opening.includes(character)) depth += 1;
    else if (closing.includes(character)) depth = Math.max(0, depth - 1);
    // A space that stands in for an escaped character is not a separator.
    if (depth === 0 && character === separator && text[at] === separator) parts.push('');
    else parts.push((parts.pop() ?? '') + text.charAt(at));
  }
  return parts.map((part) => part.trim());
}
