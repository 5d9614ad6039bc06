/** Why a search has found nothing, and what would find something (spec 13). Loaded only then. */
import { otherwiseMeant } from '../../src/core/globs/dialects.js';
import { Glob, GlobFault } from '../../src/core/globs/glob.js';
import { onOneLine } from '../../src/core/names/names-in-messages.js';
import { Directory } from '../disk/paths/anchor.js';
import { find } from '../disk/paths/find.js';
import type { Workspace } from '../workspace.js';
import type { Asked } from './glob-of.js';
import { Walk, type WalkedFile } from './walk.js';

export { patternNote } from './pattern/dialects.js';

/** Time limit in milliseconds on the look at what would match: a count cut short is reported as a minimum. */
const mostMs = 1_000;

/** A way to ask that would find files. */
interface Way {
  /** Words after `3 files would match`. */
  readonly words: string;
  /** @param names of the file, from the directory that is searched */
  finds(names: readonly string[], file: WalkedFile): boolean;
  /** Whether an example would show what differs. */
  readonly shows?: true;
  count: number;
  example?: string;
}

/**
 * How many files would match a glob that found none, if it were asked for in other ways.
 * @returns undefined if no way is known
 * @throws OperationError invalid_params for a glob that can only have been meant otherwise
 */
export function* globNote(asked: Asked, { root }: Workspace): Generator<undefined, string | undefined> {
  const { parameter, text, path } = asked;
  const meant = otherwiseMeant(text);
  if (meant !== undefined) throw new GlobFault(...meant).in(parameter);
  const start = find(root, path, 'any');
  try {
    if (!(start instanceof Directory)) return `The file that is path does not match ${text}: send no ${parameter}.`;
    const until = performance.now() + mostMs;
    const ways = waysFor(asked);
    const everything = { glob: Glob.of('**'), ignored: 'marked' } as const;
    const below = start.relative === '' ? 0 : start.relative.length + 1;
    let isCut = yield* count(new Walk(root, start, everything), ways, below, until);
    if (below > 0) {
      const top = Directory.root(root);
      const fromRoot = { words: 'from the root instead of path', finds: () => true, count: 0 };
      ways.push(fromRoot);
      try {
        const same = { glob: Glob.of(text, asked.hidden), ignored: asked.ignored };
        isCut = (yield* count(new Walk(root, top, same), [fromRoot], 0, until)) || isCut;
      } finally {
        top.close();
      }
    }
    return noteOf(ways, isCut ? 'at least ' : '');
  } finally {
    start.close();
  }
}

/** @returns whether the time was up before the end */
function* count(walk: Walk, ways: readonly Way[], below: number, until: number): Generator<undefined, boolean> {
  for (const file of walk.files()) {
    if (file !== undefined) {
      const names = file.path.slice(below).split('/');
      for (const way of ways) {
        if (!way.finds(names, file)) continue;
        way.count += 1;
        way.example ??= file.path;
      }
    }
    if (performance.now() > until) return true;
    yield;
  }
  return false;
}

/** The ways to ask about files below the directory that is searched. */
function waysFor({ text, hidden, ignored }: Asked): Way[] {
  const [asAsked, withHidden] = [matching(text, hidden), matching(text, true)];
  const isSeen = ({ isIgnored }: WalkedFile): boolean => ignored || !isIgnored;
  const folded = (name: string): string => name.toLowerCase();
  const composed = (name: string): string => name.normalize('NFC');
  const [inOtherCase, inOtherForm] = [matching(text, hidden, folded), matching(text, hidden, composed)];
  return [
    { words: 'with hidden: true', finds: (names, file) => isSeen(file) && withHidden(names), count: 0 },
    { words: 'with ignored: true', finds: (names, { isIgnored }) => isIgnored && asAsked(names), count: 0 },
    {
      words: 'with hidden: true and ignored: true',
      finds: (names, { isIgnored }) => isIgnored && !ignored && !asAsked(names) && withHidden(names),
      count: 0,
    },
    { words: 'with other case', shows: true, finds: (names, file) => isSeen(file) && inOtherCase(names), count: 0 },
    { words: 'in another Unicode form', finds: (names, file) => isSeen(file) && inOtherForm(names), count: 0 },
  ];
}

/** The test for paths. @param form of the names and the pattern in which they are compared */
function matching(
  text: string,
  hidden: boolean,
  form: (name: string) => string = (name) => name,
): (names: readonly string[]) => boolean {
  const glob = globIn(form(text), hidden);
  return (names) => {
    // What a negated glob does not name is still hidden.
    if (!hidden && text.startsWith('!') && names.some((name) => name.startsWith('.'))) return false;
    const all = names.map(form);
    return glob?.namesIn(all.slice(0, -1))(all.at(-1) ?? '') === true;
  };
}

/** Undefined if the text is not a pattern in this form, such as [Z-a] in lower case. */
function globIn(text: string, hidden: boolean): Glob | undefined {
  try {
    return Glob.of(text, hidden);
  } catch (error) {
    if (!(error instanceof GlobFault)) throw error;
    return undefined;
  }
}

function noteOf(ways: readonly Way[], atLeast: string): string | undefined {
  const told = ways
    .filter((way) => way.count > 0)
    .map(({ words, count: files, example, shows }, index) => {
      const such = shows === true && example !== undefined ? `, such as ${onOneLine(example)}` : '';
      return `${atLeast}${String(files)} ${files === 1 ? 'file' : 'files'}${index === 0 ? ' would match' : ''} ${words}${such}`;
    });
  return told.length === 0 ? undefined : `As it stands the glob matches nothing; ${told.join('; ')}.`;
}
